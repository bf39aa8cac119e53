-- KEYS lock, its fencing counter; ARGV token of the hold, its fencing token
-- returns 1: that is the count now; 0: it is not this hold's lock any more; -1: the count is past
-- that; in both nothing was changed
-- To be written.
return 0
