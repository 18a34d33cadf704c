// A receiver of Bursar's webhooks, by the standard library alone.
package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

type event struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Payload struct {
		Reference string `json:"reference"`
		Amount    int64  `json:"amount"`
		Currency  string `json:"currency"`
	} `json:"payload"`
}

func handle(came event) error {
	switch came.Type {
	case "payment.completed":
		// Compare amount and currency with what you sell before you hand it out.
		fmt.Println(came.Type, came.Payload.Reference, came.Payload.Amount, came.Payload.Currency)
	default:
		fmt.Println(came.Type)
	}
	return nil
}

func main() {
	secret := os.Getenv("BURSAR_WEBHOOK_SECRET")
	if secret == "" {
		log.Fatal("BURSAR_WEBHOOK_SECRET is missing: without it anybody can sign")
	}
	in, err := openInbox(env("INBOX", "inbox"))
	if err != nil {
		log.Fatal(err)
	}
	in.workOff(handle) // what a crash has left

	http.HandleFunc("POST /webhooks/bursar", func(w http.ResponseWriter, r *http.Request) {
		// The raw bytes, since those are signed.
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if err := verify(body, r.Header, secret, time.Now()); err != nil {
			log.Print(err)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if err := in.keep(r.Header.Get("webhook-id"), body); err != nil {
			log.Print(err)
			w.WriteHeader(http.StatusInternalServerError) // it comes again
			return
		}
		w.WriteHeader(http.StatusNoContent)
		go in.workOff(handle) // after the answer, which is due within 10 seconds
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+env("PORT", "3000"), nil))
}

func env(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}
