module svc.dev/test/cnpg

go 1.26

require github.com/cloudnative-pg/cloudnative-pg v1.25.0
