# The minute's form of scripts/soak: cables, addresses and the server come and go at random. SEED=N repeats one that failed.
. Tests/Namespaces/soak.sh
outage_house
outage_server
outage_config
outage_begin
soak 60 "${SEED:-$RANDOM}" 6 15 1024
outage_end
