// The sample service: says its version, its host name and the names (never the values) of its environment
// variables on $PORT or 8080. "hello VERSION"; the version "crash" ends with an error soon after its start.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"sort"
	"strings"
	"syscall"
	"time"
)

func main() {
	log.SetFlags(0)
	version := "unknown"
	if len(os.Args) > 1 {
		version = os.Args[1]
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	log.Printf("hello %s listens on port %s", version, port)
	if version == "crash" {
		time.Sleep(time.Second)
		log.Print("hello crash: the database is on fire, giving up")
		os.Exit(1)
	}
	serve(version, port)
}

func serve(version, port string) {
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		log.Printf("%s %s", r.Method, r.URL.Path)
		host, _ := os.Hostname()
		fmt.Fprintf(w, "hello from version %s on %s\nvariables: %s\n", version, host, strings.Join(names(), " "))
	})
	server := &http.Server{Addr: ":" + port, Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	go func() {
		<-stop.Done()
		patience, done := context.WithTimeout(context.Background(), 5*time.Second)
		defer done()
		_ = server.Shutdown(patience)
	}()
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
		log.Fatal(err)
	}
}

func names() []string {
	var all []string
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		all = append(all, name)
	}
	sort.Strings(all)
	return all
}
