module lockclient

go 1.19
