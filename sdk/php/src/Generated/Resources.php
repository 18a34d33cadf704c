<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Generated;

use Bursar\Client;
use Bursar\Resources as R;

/** All the resources of the API. */
abstract class Resources
{
    public readonly R\Server $server;
    public readonly R\Proofs $proofs;
    public readonly R\Wallets $wallets;
    public readonly R\VirtualAccounts $virtualAccounts;
    public readonly R\CryptoWallets $cryptoWallets;
    public readonly R\Payments $payments;
    public readonly R\Collections $collections;
    public readonly R\Refunds $refunds;
    public readonly R\Disputes $disputes;
    public readonly R\Products $products;
    public readonly R\Distributions $distributions;
    public readonly R\Invoices $invoices;
    public readonly R\CreditNotes $creditNotes;
    public readonly R\Payouts $payouts;
    public readonly R\Reports $reports;
    public readonly R\Conversions $conversions;
    public readonly R\PayoutBatches $payoutBatches;
    public readonly R\PayoutSchedules $payoutSchedules;
    public readonly R\Limits $limits;
    public readonly R\Beneficiaries $beneficiaries;
    public readonly R\Customers $customers;
    public readonly R\Transactions $transactions;
    public readonly R\Statements $statements;
    public readonly R\Exports $exports;
    public readonly R\CryptoTokens $cryptoTokens;
    public readonly R\Banks $banks;
    public readonly R\Business $business;
    public readonly R\Audit $audit;
    public readonly R\Records $records;
    public readonly R\Webhooks $webhooks;
    public readonly R\WebhookDeliveries $webhookDeliveries;
    public readonly R\Events $events;
    public readonly R\Requests $requests;
    public readonly R\TestClock $testClock;

    protected function __construct(Client $client)
    {
        $this->server = new R\Server($client);
        $this->proofs = new R\Proofs($client);
        $this->wallets = new R\Wallets($client);
        $this->virtualAccounts = new R\VirtualAccounts($client);
        $this->cryptoWallets = new R\CryptoWallets($client);
        $this->payments = new R\Payments($client);
        $this->collections = new R\Collections($client);
        $this->refunds = new R\Refunds($client);
        $this->disputes = new R\Disputes($client);
        $this->products = new R\Products($client);
        $this->distributions = new R\Distributions($client);
        $this->invoices = new R\Invoices($client);
        $this->creditNotes = new R\CreditNotes($client);
        $this->payouts = new R\Payouts($client);
        $this->reports = new R\Reports($client);
        $this->conversions = new R\Conversions($client);
        $this->payoutBatches = new R\PayoutBatches($client);
        $this->payoutSchedules = new R\PayoutSchedules($client);
        $this->limits = new R\Limits($client);
        $this->beneficiaries = new R\Beneficiaries($client);
        $this->customers = new R\Customers($client);
        $this->transactions = new R\Transactions($client);
        $this->statements = new R\Statements($client);
        $this->exports = new R\Exports($client);
        $this->cryptoTokens = new R\CryptoTokens($client);
        $this->banks = new R\Banks($client);
        $this->business = new R\Business($client);
        $this->audit = new R\Audit($client);
        $this->records = new R\Records($client);
        $this->webhooks = new R\Webhooks($client);
        $this->webhookDeliveries = new R\WebhookDeliveries($client);
        $this->events = new R\Events($client);
        $this->requests = new R\Requests($client);
        $this->testClock = new R\TestClock($client);
    }
}
