# the default route moves, an uplink goes, the ISP gives another address: the session lives on, half a second at most is lost.
. Tests/Namespaces/outages.sh
outage_house
outage_server
outage_config
outage_begin
before_event; default_moves 1
outage 500 "the default route moves to the second uplink"
same_session 1 "by the second uplink"
before_event; default_moves 0
outage 500 "it moves back to the first"
same_session 1 "by the first uplink"
before_event; first_uplink_down
outage 500 "the first uplink fails"
same_session 1 "the first uplink failed"
before_event; first_uplink_up
outage 500 "the first uplink is back"
same_session 1 "the first uplink is back"
one_uplink
before_event; address_changes 2 50
outage 500 "the ISP gives another address"
same_session 1 "another address"
expect_within 2 "status says the address" adit_status '"source":"198.51.100.50"'
outage_end
