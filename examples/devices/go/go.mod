module example.com/homeward-device

go 1.19
