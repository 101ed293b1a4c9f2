# R-10, H-15: the server restarts politely, and dies without a word.
. Tests/Namespaces/outages.sh
outage_house
outage_server
outage_config
outage_begin
server_restarts
outage 1000 "the server restarted politely"
server_returns TERM 2
outage 1000 "the server was stopped politely for 2 s"
server_returns KILL 0
outage 8000 "the server died and was back at once"
server_returns KILL 12
outage 8000 "the server died and was back after 12 s"
outage_end
