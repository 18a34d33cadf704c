package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"example.com/shop/bursar"
)

func main() {
	ctx := context.Background()
	client, err := bursar.NewClientWithResponses(os.Getenv("BURSAR_URL"), bursar.WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+os.Getenv("BURSAR_KEY"))
			return nil
		}))
	must(err)

	ngn := bursar.WalletCurrencyNgn
	wallets, err := client.ListWalletsWithResponse(ctx, &bursar.ListWalletsParams{Currency: &ngn})
	must(err)
	var available int64 = wallets.JSON200.Data[0].Available
	check(available == 6_000_000_000, available)

	name := "Ada Okafor"
	customer, err := client.CreateCustomerWithResponse(ctx, nil, bursar.CreateCustomer{Name: &name, Email: "ada@example.com"})
	must(err)
	check(customer.JSON201.Data.Type == bursar.CustomerTypeIndividual, string(customer.Body))

	var destination bursar.PayoutDestination
	must(destination.FromNigerianBankDestination(bursar.NigerianBankDestination{BankCode: "058", AccountNumber: "0123456789"}))
	method := bursar.PayoutMethodBankTransfer
	_, err = client.CreatePayoutWithResponse(ctx, nil, bursar.CreatePayout{Reference: "rent-2026-11", Amount: 3_000_000_000,
		Currency: ngn, Method: &method, Destination: &destination})
	must(err)
	payout, err := client.GetPayoutWithResponse(ctx, "rent-2026-11")
	must(err)
	check(payout.JSON200 != nil, string(payout.Body))
	data := payout.JSON200.Data
	check(data.Amount == 3_000_000_000 && data.Status != bursar.PayoutStatusFailed, data)
	check(*data.Destination.AccountNumber == "0123456789", data)
	fmt.Println("ok:", data.Status)
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
