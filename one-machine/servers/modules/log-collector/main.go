// The collector of a node's logs: the few components of the OpenTelemetry Collector that read files, remember how far,
// and send by OTLP. A published distribution holds some hundred more.
package main

import (
	"context"
	"os"

	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage"
	"github.com/open-telemetry/opentelemetry-collector-contrib/receiver/filelogreceiver"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/otlphttpexporter"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
)

func main() {
	command := otelcol.NewCommand(otelcol.CollectorSettings{
		BuildInfo: component.BuildInfo{Command: "log-collector", Version: version},
		Factories: components,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{
			ResolverSettings: confmap.ResolverSettings{
				ProviderFactories: []confmap.ProviderFactory{fileprovider.NewFactory()},
				DefaultScheme:     "file",
			},
		},
	})
	if command.Execute() != nil {
		os.Exit(1)
	}
}

// Set by the linker.
var version = "none"

func components() (otelcol.Factories, error) {
	return otelcol.Factories{
		Receivers:  only[receiver.Factory](filelogreceiver.NewFactory()),
		Processors: only[processor.Factory](forgetObservedTime()),
		Exporters:  only[exporter.Factory](otlphttpexporter.NewFactory()),
		Extensions: only[extension.Factory](filestorage.NewFactory()),
		Telemetry:  otelconftelemetry.NewFactory(),
	}, nil
}

func only[Factory component.Factory](factory Factory) map[component.Type]Factory {
	return map[component.Type]Factory{factory.Type(): factory}
}

// A line that is read twice, because the collector was killed between sending it and noting that, must be the same both
// times: the store keeps equal lines of one moment once. The time of reading would tell the two apart.
func forgetObservedTime() processor.Factory {
	name := component.MustNewType("forget_observed_time")
	forget := func(_ context.Context, logs plog.Logs) (plog.Logs, error) {
		for _, resource := range logs.ResourceLogs().All() {
			for _, scope := range resource.ScopeLogs().All() {
				for _, record := range scope.LogRecords().All() {
					record.SetObservedTimestamp(0)
				}
			}
		}
		return logs, nil
	}
	create := func(
		ctx context.Context, settings processor.Settings, config component.Config, next consumer.Logs,
	) (processor.Logs, error) {
		return processorhelper.NewLogs(ctx, settings, config, next, forget)
	}
	return processor.NewFactory(
		name,
		func() component.Config { return &struct{}{} },
		processor.WithLogs(create, component.StabilityLevelStable),
	)
}
