module adapter

go 1.19

require lockclient v0.0.0

replace lockclient => ../helpers/lockclient
