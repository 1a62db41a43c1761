module svc.dev/test/keda

go 1.26

require (
	github.com/kedacore/http-add-on v0.15.0
	github.com/kedacore/keda/v2 v2.21.0
)
