# the cable is out for 8 s, with and without its routes, and for 26 s.
. Tests/Namespaces/outages.sh
outage_house
outage_server
outage_config
one_uplink
outage_begin
before_event; cable_out 8
outage 500 "the cable was out for 8 s"
same_session 0 "8 s"
before_event; cable_out 8 keeps
outage 500 "the cable was out for 8 s, the routes stayed"
same_session 0 "8 s, the routes stayed"
cable_out 26
outage 1000 "the cable was out for 26 s"
outage_end
