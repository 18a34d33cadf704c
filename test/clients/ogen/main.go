package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	"example.com/shop/bursar"
)

type key struct{}

func (key) Key(context.Context, bursar.OperationName) (bursar.Key, error) {
	return bursar.Key{Token: os.Getenv("BURSAR_KEY")}, nil
}

func main() {
	ctx := context.Background()
	client, err := bursar.NewClient(os.Getenv("BURSAR_URL"), key{})
	must(err)

	ngn := bursar.WalletCurrencyNgn
	wallets := answer[*bursar.WalletListAnswerHeaders](client.ListWallets(ctx,
		bursar.ListWalletsParams{Currency: bursar.NewOptWalletCurrency(ngn)}))
	var available int64 = wallets.Response.Data[0].Available
	check(available == 6_000_000_000, available)

	customer := answer[*bursar.CustomerSuccessHeaders](client.CreateCustomer(ctx,
		&bursar.CreateCustomer{Name: bursar.NewOptString("Ada Okafor"), Email: "ada@example.com"}, bursar.CreateCustomerParams{}))
	check(customer.Response.Data.Type == bursar.CustomerTypeIndividual, customer.Response)

	destination := bursar.NewNigerianBankDestinationPayoutDestination(
		bursar.NigerianBankDestination{BankCode: "058", AccountNumber: "0123456789"})
	answer[*bursar.PayoutSuccessHeaders](client.CreatePayout(ctx, &bursar.CreatePayout{
		Reference: "rent-2026-11", Amount: 3_000_000_000, Currency: ngn,
		Method: bursar.NewOptPayoutMethod(bursar.PayoutMethodBankTransfer), Destination: bursar.NewOptPayoutDestination(destination),
	}, bursar.CreatePayoutParams{}))
	payout := answer[*bursar.PayoutSuccessHeaders](client.GetPayout(ctx, bursar.GetPayoutParams{Reference: "rent-2026-11"})).Response.Data
	check(payout.Amount == 3_000_000_000 && payout.Status != bursar.PayoutStatusFailed, payout)
	check(payout.Destination.AccountNumber.Value == "0123456789", payout)

	var event bursar.PayoutInitiatedEvent
	must(event.UnmarshalJSON([]byte(delivery(ctx, "payout.initiated"))))
	check(event.Type == "payout.initiated" && event.Payload.Reference == "rent-2026-11", event)
	fmt.Println("ok:", payout.Status)
}

// The body of a delivery, as the stream of events has it too.
func delivery(ctx context.Context, kind string) string {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, "GET", os.Getenv("BURSAR_URL")+"/events/stream?after=0", nil)
	must(err)
	request.Header.Set("Authorization", "Bearer "+os.Getenv("BURSAR_KEY"))
	response, err := http.DefaultClient.Do(request)
	must(err)
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if data, found := strings.CutPrefix(lines.Text(), "data: "); found && strings.Contains(data, `"`+kind+`"`) {
			return data
		}
	}
	log.Fatal(kind + " did not come")
	return ""
}

func answer[T any](given any, err error) T {
	must(err)
	typed, ok := given.(T)
	check(ok, fmt.Sprintf("%T", given))
	return typed
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func check(holds bool, otherwise any) {
	if !holds {
		log.Fatal(otherwise)
	}
}
