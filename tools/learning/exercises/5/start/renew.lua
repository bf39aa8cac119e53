-- KEYS[1] the lock; ARGV[1] the token of the hold that goes on; ARGV[2] its lease from now on, ms
-- returns 1 renewed, 0 lost: there is no lock, or it is somebody else's hold
-- To be written. As it is, it renews nothing and calls every hold lost.
return 0
