module svc.dev/images

go 1.24
