-- KEYS[1] the lock, KEYS[2] its fencing counter; ARGV[1] the hold's token; ARGV[2] its fencing token
-- returns 1: that is the count now; 0: it is not this hold's lock any more; -1: the count is past that; in both nothing was changed
-- To be written.
return 0
