// The sample that uses what svc provides: every visit is a row in the database of $DATABASE_URL and an object in the bucket of
// $OBJ_BUCKET; the page on $PORT or 8080 tells both counts. /healthz answers once both are reached.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	_ "github.com/lib/pq"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

type guestbook struct {
	database *sql.DB
	objects  *minio.Client
	bucket   string
}

func main() {
	log.SetFlags(0)
	book, err := open()
	if err != nil {
		log.Fatal(err)
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", book.health)
	mux.HandleFunc("/", book.visit)
	server := &http.Server{Addr: ":" + port, Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	go func() {
		<-stop.Done()
		patience, done := context.WithTimeout(context.Background(), 5*time.Second)
		defer done()
		_ = server.Shutdown(patience)
	}()
	log.Printf("the guestbook listens on port %s", port)
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
		log.Fatal(err)
	}
}

// open only reads the variables: whoever they name is asked with each request.
func open() (*guestbook, error) {
	database, err := sql.Open("postgres", withoutTLS(os.Getenv("DATABASE_URL")))
	if err != nil {
		return nil, fmt.Errorf("DATABASE_URL names no postgres database") // the error itself may tell the password
	}
	endpoint, secure := strings.CutPrefix(os.Getenv("OBJ_ENDPOINT"), "https://")
	objects, err := minio.New(strings.TrimPrefix(endpoint, "http://"), &minio.Options{
		Creds:  credentials.NewStaticV4(os.Getenv("OBJ_ACCESS_KEY_ID"), os.Getenv("OBJ_SECRET_ACCESS_KEY"), ""),
		Secure: secure,
		Region: "us-east-1",
	})
	if err != nil {
		return nil, fmt.Errorf("OBJ_ENDPOINT names no object server: %w", err)
	}
	return &guestbook{database, objects, os.Getenv("OBJ_BUCKET")}, nil
}

// withoutTLS: within the cluster a server has no certificate, and this client would insist on one.
func withoutTLS(address string) string {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Query().Has("sslmode") {
		return address
	}
	query := parsed.Query()
	query.Set("sslmode", "disable")
	parsed.RawQuery = query.Encode()
	return parsed.String()
}

func (book *guestbook) health(w http.ResponseWriter, r *http.Request) {
	if err := book.database.PingContext(r.Context()); err != nil {
		log.Printf("the database does not answer: %v", err)
		http.Error(w, "the database does not answer", http.StatusServiceUnavailable)
		return
	}
	if there, err := book.objects.BucketExists(r.Context(), book.bucket); err != nil || !there {
		log.Printf("the bucket does not answer: %v", err)
		http.Error(w, "the bucket does not answer", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

func (book *guestbook) visit(w http.ResponseWriter, r *http.Request) {
	visits, err := book.note(r.Context())
	if err != nil {
		log.Printf("visit not noted: %v", err)
		http.Error(w, "the visit could not be noted", http.StatusServiceUnavailable)
		return
	}
	name := fmt.Sprintf("visits/%08d.txt", visits)
	text := time.Now().UTC().Format(time.RFC3339) + "\n"
	if _, err := book.objects.PutObject(r.Context(), book.bucket, name, strings.NewReader(text), int64(len(text)), minio.PutObjectOptions{}); err != nil {
		log.Printf("visit not stored: %v", err)
		http.Error(w, "the visit could not be stored", http.StatusServiceUnavailable)
		return
	}
	objects := 0
	for object := range book.objects.ListObjects(r.Context(), book.bucket, minio.ListObjectsOptions{Prefix: "visits/"}) {
		if object.Err == nil {
			objects++
		}
	}
	fmt.Fprintf(w, "visit %d: %d rows in the database, %d objects in the bucket\n", visits, visits, objects)
}

func (book *guestbook) note(ctx context.Context) (visits int, err error) {
	const table = "CREATE TABLE IF NOT EXISTS visits (id serial PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())"
	if _, err = book.database.ExecContext(ctx, table); err != nil {
		return 0, err
	}
	if _, err = book.database.ExecContext(ctx, "INSERT INTO visits DEFAULT VALUES"); err != nil {
		return 0, err
	}
	err = book.database.QueryRowContext(ctx, "SELECT count(*) FROM visits").Scan(&visits)
	return visits, err
}
