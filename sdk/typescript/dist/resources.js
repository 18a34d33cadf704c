import { ListRequest } from './pages.js';
import { EventStream } from './stream.js';
import { request } from './transport.js';
export class ServerResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /** What this server is. Its version, and where its documents are. */
    get(options) {
        return request(this.#connection, { method: 'GET', path: '/' }, [], undefined, undefined, options);
    }
    /**
     * Whether the server can work. 200 when database, schema and workers (where this process knows of them) are fine, else 503. Not
     * counted by the rate limit.
     */
    getHealth(options) {
        return request(this.#connection, { method: 'GET', path: '/health' }, [], undefined, undefined, options);
    }
}
export class ProofsResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /** List the keys that signed proofs. The one in use and those before it, each with the days it signed. Keep them where you verify. */
    listKeys(options) {
        return request(this.#connection, { method: 'GET', path: '/proofs/keys' }, [], undefined, undefined, options);
    }
    /**
     * Get the proof of a day. A signed root over all that was sealed on a day in UTC, in each cell. It never changes: keep a copy to
     * detect any later change of the ledger’s history.
     */
    get(day, options) {
        return request(this.#connection, { method: 'GET', path: '/proofs/{day}' }, [day], undefined, undefined, options);
    }
}
export class WalletsResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /** List the wallets. A plain array: one wallet per currency. Both exist from the day the business does. */
    list(query, options) {
        return request(this.#connection, { method: 'GET', path: '/wallets', answer: 'Wallet' }, [], query, undefined, options);
    }
    /** Put test money into a wallet. At once, and without a fee: a transaction of type `simulated_fund`. */
    simulateFunding(body, options) {
        return request(this.#connection, { method: 'POST', path: '/wallets/simulate-fund', keyed: true, body: 'SimulateFunding', answer: 'Wallet' }, [], undefined, body, options);
    }
}
export class VirtualAccountsResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /**
     * Open a virtual account. A `static` one is a customer’s own; a `dynamic` one is for a single amount, until it expires. With a
     * live key the bank may take its time: then the account is `pending`, without a number, until `virtual_account.activated` or
     * `virtual_account.failed`.
     */
    create(body, options) {
        return request(this.#connection, { method: 'POST', path: '/virtual-accounts', keyed: true, body: 'CreateVirtualAccount', answer: 'VirtualAccount' }, [], undefined, body, options);
    }
    /** List virtual accounts. Newest first. One-time accounts of payments are among them. */
    list(query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/virtual-accounts', answer: 'VirtualAccountPage' }, [], { ...query, ...next }, undefined, options);
        return new ListRequest(load, true);
    }
    /**
     * Export virtual accounts as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times
     * in UTC and your time zone.
     */
    export(query, options) {
        return request(this.#connection, { method: 'GET', path: '/virtual-accounts/export', bytes: true }, [], query, undefined, options);
    }
    /** Get a virtual account. As it stands now: its number, bank and status. */
    get(id, options) {
        return request(this.#connection, { method: 'GET', path: '/virtual-accounts/{id}', answer: 'VirtualAccount' }, [id], undefined, undefined, options);
    }
    /** Close a virtual account. Money that still comes is booked, and marked late. */
    close(id, options) {
        return request(this.#connection, { method: 'PATCH', path: '/virtual-accounts/{id}/close', answer: 'VirtualAccount' }, [id], undefined, undefined, options);
    }
    /**
     * Have test money arrive. Takes the way that a bank’s notice takes. The answer is the transaction; the same `notice` again gives
     * the same one.
     */
    simulateDeposit(id, body, options) {
        return request(this.#connection, { method: 'POST', path: '/virtual-accounts/{id}/simulate-deposit', keyed: true, body: 'SimulateVirtualAccountDeposit', answer: 'Transaction' }, [id], undefined, body, options);
    }
}
export class CryptoWalletsResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /**
     * Have test tokens arrive. Confirmed already, and without any node. The answer is the transaction; the same `notice` again gives
     * the same one.
     */
    simulateDeposit(id, body, options) {
        return request(this.#connection, { method: 'POST', path: '/crypto/wallets/{id}/simulate-deposit', keyed: true, body: 'SimulateCryptoWalletDeposit', answer: 'Transaction' }, [id], undefined, body, options);
    }
    /**
     * List what was sent to a crypto wallet on chains. Newest first, from the moment a block holds it. Simulated deposits are
     * transactions only.
     */
    listDeposits(id, query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/crypto/wallets/{id}/deposits', answer: 'CryptoDepositPage' }, [id], { ...query, ...next }, undefined, options);
        return new ListRequest(load, true);
    }
    /** Open a crypto wallet. One address for every network and token. What arrives credits the `usd` wallet. */
    create(body, options) {
        return request(this.#connection, { method: 'POST', path: '/crypto/wallets', keyed: true }, [], undefined, body, options);
    }
    /** List crypto wallets. Newest first. */
    list(query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/crypto/wallets' }, [], { ...query, ...next }, undefined, options);
        return new ListRequest(load, true);
    }
    /**
     * Export crypto wallets as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in
     * UTC and your time zone.
     */
    export(query, options) {
        return request(this.#connection, { method: 'GET', path: '/crypto/wallets/export', bytes: true }, [], query, undefined, options);
    }
    /** Get a crypto wallet. Its address, and the networks it receives on. */
    get(id, options) {
        return request(this.#connection, { method: 'GET', path: '/crypto/wallets/{id}' }, [id], undefined, undefined, options);
    }
    /** Close a crypto wallet. What still comes to its address is booked, and marked late. */
    close(id, options) {
        return request(this.#connection, { method: 'PATCH', path: '/crypto/wallets/{id}/close' }, [id], undefined, undefined, options);
    }
}
export class PaymentsResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /** Open a payment. Send the payer to its `checkout_url`. */
    create(body, options) {
        return request(this.#connection, { method: 'POST', path: '/payments', keyed: true, body: 'CreatePayment', answer: 'Payment' }, [], undefined, body, options);
    }
    /** List payments. Newest first. */
    list(query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/payments', answer: 'PaymentPage' }, [], { ...query, ...next }, undefined, options);
        return new ListRequest(load, true);
    }
    /**
     * Export payments as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC
     * and your time zone.
     */
    export(query, options) {
        return request(this.#connection, { method: 'GET', path: '/payments/export', bytes: true }, [], query, undefined, options);
    }
    /** Get a payment. As it stands now. Ask this when the payer comes back to your page. */
    get(id, options) {
        return request(this.#connection, { method: 'GET', path: '/payments/{id}', answer: 'Payment' }, [id], undefined, undefined, options);
    }
    /** Get a payment by its reference. By your own id, which you need not store ours for. */
    getByReference(reference, options) {
        return request(this.#connection, { method: 'GET', path: '/payments/reference/{reference}', answer: 'Payment' }, [reference], undefined, undefined, options);
    }
    /** Cancel a pending payment. Money that still comes is booked, and marked late. */
    cancel(id, options) {
        return request(this.#connection, { method: 'POST', path: '/payments/{id}/cancel', keyed: true, answer: 'Payment' }, [id], undefined, undefined, options);
    }
    /**
     * Have something happen to a test payment. As if the payer did it, by the same steps: `underpaid` and `overpaid` are for
     * transfers; `failed` is a decline for good.
     */
    simulate(id, body, options) {
        return request(this.#connection, { method: 'POST', path: '/payments/{id}/simulate', keyed: true, answer: 'Payment' }, [id], undefined, body, options);
    }
    /** Open a test dispute. As if the payer’s bank took the money of a test payment back. */
    simulateDispute(id, body, options) {
        return request(this.#connection, { method: 'POST', path: '/payments/{id}/simulate-dispute', keyed: true, body: 'SimulateDispute', answer: 'Dispute' }, [id], undefined, body, options);
    }
}
export class CollectionsResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /** Make a reusable checkout link. Share its `checkout_url`: each use makes a payment. */
    create(body, options) {
        return request(this.#connection, { method: 'POST', path: '/collections', keyed: true, body: 'CreateCollection', answer: 'Collection' }, [], undefined, body, options);
    }
    /** List collections. Newest first. */
    list(query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/collections', answer: 'CollectionPage' }, [], { ...query, ...next }, undefined, options);
        return new ListRequest(load, true);
    }
    /**
     * Export collections as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC
     * and your time zone.
     */
    export(query, options) {
        return request(this.#connection, { method: 'GET', path: '/collections/export', bytes: true }, [], query, undefined, options);
    }
    /** Get a collection. With what its payments have brought in so far. */
    get(id, options) {
        return request(this.#connection, { method: 'GET', path: '/collections/{id}', answer: 'Collection' }, [id], undefined, undefined, options);
    }
    /** Change a collection. Only what is given changes. Payments that payers have opened stay as they are. */
    update(id, body, options) {
        return request(this.#connection, { method: 'PUT', path: '/collections/{id}', body: 'UpdateCollection', answer: 'Collection' }, [id], undefined, body, options);
    }
    /** Cancel a collection. For good. Payers who have started to pay can finish. */
    cancel(id, options) {
        return request(this.#connection, { method: 'POST', path: '/collections/{id}/cancel', keyed: true, answer: 'Collection' }, [id], undefined, undefined, options);
    }
    /** List the payments of a collection. Newest first. */
    listPayments(id, query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/collections/{id}/payments', answer: 'PaymentPage' }, [id], { ...query, ...next }, undefined, options);
        return new ListRequest(load, true);
    }
}
export class RefundsResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /**
     * Refund a payment. In whole or in part. The amount is held at once; one refund at a time a payment. To a `destination` that the
     * money did not come from it goes by a payout, which limits, approval, beneficiaries and screening hold for as for any, and needs
     * the scope `refund_elsewhere`.
     */
    create(body, options) {
        return request(this.#connection, { method: 'POST', path: '/refunds', keyed: true, body: 'CreateRefund', answer: 'Refund' }, [], undefined, body, options);
    }
    /** List refunds. Newest first. */
    list(query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/refunds', answer: 'RefundPage' }, [], { ...query, ...next }, undefined, options);
        return new ListRequest(load, true);
    }
    /**
     * Export refunds as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and
     * your time zone.
     */
    export(query, options) {
        return request(this.#connection, { method: 'GET', path: '/refunds/export', bytes: true }, [], query, undefined, options);
    }
    /** Get a refund. As it stands now: `initiated` until the rail says how it ended. */
    get(id, options) {
        return request(this.#connection, { method: 'GET', path: '/refunds/{id}', answer: 'Refund' }, [id], undefined, undefined, options);
    }
    /**
     * End a test refund. As if the rail had said so. `returned` is for a refund that is completed: its rail takes that back, and it is
     * `failed`.
     */
    simulate(id, body, options) {
        return request(this.#connection, { method: 'POST', path: '/refunds/{id}/simulate', keyed: true, answer: 'Refund' }, [id], undefined, body, options);
    }
}
export class DisputesResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /** List disputes. Newest first. The operator of the installation answers them at the provider. */
    list(query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/disputes', answer: 'DisputePage' }, [], { ...query, ...next }, undefined, options);
        return new ListRequest(load, true);
    }
    /**
     * Export disputes as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC
     * and your time zone.
     */
    export(query, options) {
        return request(this.#connection, { method: 'GET', path: '/disputes/export', bytes: true }, [], query, undefined, options);
    }
    /** Get a dispute. As it stands now: `open` until its provider has decided it. */
    get(id, options) {
        return request(this.#connection, { method: 'GET', path: '/disputes/{id}', answer: 'Dispute' }, [id], undefined, undefined, options);
    }
    /** Get the evidence of a dispute. The texts and files of the answer, and what came of it. */
    getEvidence(id, options) {
        return request(this.#connection, { method: 'GET', path: '/disputes/{id}/evidence' }, [id], undefined, undefined, options);
    }
    /** Change the evidence of a dispute. What is left out stays. Nothing is submitted by it. */
    updateEvidence(id, body, options) {
        return request(this.#connection, { method: 'PUT', path: '/disputes/{id}/evidence' }, [id], undefined, body, options);
    }
    /** Get the evidence bundle of a dispute. One PDF with your evidence, the receipt, the delivery log and the proof of the ledger. */
    evidencePdf(id, options) {
        return request(this.#connection, { method: 'GET', path: '/disputes/{id}/evidence/pdf', bytes: true }, [id], undefined, undefined, options);
    }
    /** Submit the evidence of a dispute. Sends it to the provider, which takes one answer to a dispute. */
    submit(id, options) {
        return request(this.#connection, { method: 'POST', path: '/disputes/{id}/submit', keyed: true }, [id], undefined, undefined, options);
    }
    /** Accept a dispute. The payer keeps the money, and the dispute is lost. */
    accept(id, options) {
        return request(this.#connection, { method: 'POST', path: '/disputes/{id}/accept', keyed: true }, [id], undefined, undefined, options);
    }
    /** Decide a test dispute. As if its provider had decided it. */
    simulate(id, body, options) {
        return request(this.#connection, { method: 'POST', path: '/disputes/{id}/simulate', keyed: true, answer: 'Dispute' }, [id], undefined, body, options);
    }
}
export class ProductsResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /** Add a product. Something that lines of invoices name. */
    create(body, options) {
        return request(this.#connection, { method: 'POST', path: '/products', keyed: true, body: 'CreateProduct', answer: 'Product' }, [], undefined, body, options);
    }
    /** List products. Newest first. */
    list(query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/products', answer: 'ProductPage' }, [], { ...query, ...next }, undefined, options);
        return new ListRequest(load, true);
    }
    /**
     * Export products as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC
     * and your time zone.
     */
    export(query, options) {
        return request(this.#connection, { method: 'GET', path: '/products/export', bytes: true }, [], query, undefined, options);
    }
    /** Get a product. Also one that is archived. */
    get(id, options) {
        return request(this.#connection, { method: 'GET', path: '/products/{id}', answer: 'Product' }, [id], undefined, undefined, options);
    }
    /** Change a product. Only what is given changes. Lines of invoices stay as they are. */
    update(id, body, options) {
        return request(this.#connection, { method: 'PUT', path: '/products/{id}', body: 'UpdateProduct', answer: 'Product' }, [id], undefined, body, options);
    }
    /** Archive a product. New lines cannot name it; lines that do stay. */
    archive(id, options) {
        return request(this.#connection, { method: 'PATCH', path: '/products/{id}/archive', answer: 'Product' }, [id], undefined, undefined, options);
    }
    /** Bring a product back. New lines can name it again. */
    unarchive(id, options) {
        return request(this.#connection, { method: 'PATCH', path: '/products/{id}/unarchive', answer: 'Product' }, [id], undefined, undefined, options);
    }
}
export class DistributionsResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /**
     * Make a distribution. Name it on products: what is paid for them by invoice is shared. To name destinations needs the scope
     * `manage` beside `collect`.
     */
    create(body, options) {
        return request(this.#connection, { method: 'POST', path: '/distributions', keyed: true, body: 'CreateDistribution', answer: 'Distribution' }, [], undefined, body, options);
    }
    /** List distributions. Newest first. */
    list(query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/distributions', answer: 'DistributionPage' }, [], { ...query, ...next }, undefined, options);
        return new ListRequest(load, true);
    }
    /**
     * Export distributions as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in
     * UTC and your time zone.
     */
    export(query, options) {
        return request(this.#connection, { method: 'GET', path: '/distributions/export', bytes: true }, [], query, undefined, options);
    }
    /** Get a distribution. With what each share holds now, and what was paid out of it. */
    get(id, options) {
        return request(this.#connection, { method: 'GET', path: '/distributions/{id}', answer: 'Distribution' }, [id], undefined, undefined, options);
    }
    /**
     * Change a distribution. Only what is given changes; `shares` as a whole. What is shared already stays with its share. To change
     * where one is paid needs the scope `manage` beside `collect`, and is in the audit log; the new destination cools off as a
     * beneficiary does.
     */
    update(id, body, options) {
        return request(this.#connection, { method: 'PUT', path: '/distributions/{id}', body: 'UpdateDistribution', answer: 'Distribution' }, [id], undefined, body, options);
    }
    /** Turn a distribution on. What is paid from now on for products that name it is split. */
    activate(id, options) {
        return request(this.#connection, { method: 'PATCH', path: '/distributions/{id}/activate', answer: 'Distribution' }, [id], undefined, undefined, options);
    }
    /** Turn a distribution off. It splits nothing then, and no product can name it. */
    deactivate(id, options) {
        return request(this.#connection, { method: 'PATCH', path: '/distributions/{id}/deactivate', answer: 'Distribution' }, [id], undefined, undefined, options);
    }
    /** See how an amount would be split. By the very function that splits what is paid. */
    preview(id, body, options) {
        return request(this.#connection, { method: 'POST', path: '/distributions/{id}/preview', keyed: true, body: 'PreviewDistribution', answer: 'DistributionPreview' }, [id], undefined, body, options);
    }
    /**
     * Pay out what the shares hold. By ordinary payouts. One that fails brings the money back to its share. A share whose destination
     * cools off is skipped, and keeps what it holds.
     */
    settle(id, options) {
        return request(this.#connection, { method: 'POST', path: '/distributions/{id}/settle', keyed: true, answer: 'DistributionSettlement' }, [id], undefined, undefined, options);
    }
}
export class InvoicesResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /**
     * Draft an invoice. Lines copy their products as they are now, but for what they say themselves: name, amount, taxes. A line
     * without a product has a name and an amount.
     */
    create(body, options) {
        return request(this.#connection, { method: 'POST', path: '/invoices', keyed: true, body: 'CreateInvoice', answer: 'Invoice' }, [], undefined, body, options);
    }
    /** List invoices. Newest first. */
    list(query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/invoices', answer: 'InvoicePage' }, [], { ...query, ...next }, undefined, options);
        return new ListRequest(load, true);
    }
    /** Work out the total of an invoice. With discounts and taxes, by the rules of `POST /invoices`. Nothing is stored. */
    preview(body, options) {
        return request(this.#connection, { method: 'POST', path: '/invoices/preview', keyed: true, body: 'PreviewInvoice', answer: 'InvoicePreview' }, [], undefined, body, options);
    }
    /**
     * Export invoices as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC
     * and your time zone. With `by_tax_rate`, a row for each tax rate.
     */
    export(query, options) {
        return request(this.#connection, { method: 'GET', path: '/invoices/export', bytes: true }, [], query, undefined, options);
    }
    /** Get an invoice. In any state, with its lines. */
    get(id, options) {
        return request(this.#connection, { method: 'GET', path: '/invoices/{id}', answer: 'Invoice' }, [id], undefined, undefined, options);
    }
    /** Change a draft. Only what is given changes; `lines` as a whole, which copy their products anew. */
    update(id, body, options) {
        return request(this.#connection, { method: 'PUT', path: '/invoices/{id}', body: 'UpdateInvoice', answer: 'Invoice' }, [id], undefined, body, options);
    }
    /** Delete a draft. What was finalized is voided, not deleted. The answer is the draft as it was last. */
    delete(id, options) {
        return request(this.#connection, { method: 'DELETE', path: '/invoices/{id}', answer: 'Invoice' }, [id], undefined, undefined, options);
    }
    /** Finalize an invoice. It gets the next number, and the page where it is paid. It can be paid or voided, and not changed any more. */
    finalize(id, options) {
        return request(this.#connection, { method: 'POST', path: '/invoices/{id}/finalize', keyed: true, answer: 'Invoice' }, [id], undefined, undefined, options);
    }
    /** Void an open invoice. Its payment is canceled. Money that still comes is booked, and marked late. */
    void(id, options) {
        return request(this.#connection, { method: 'POST', path: '/invoices/{id}/void', keyed: true, answer: 'Invoice' }, [id], undefined, undefined, options);
    }
    /**
     * Mail an open invoice. To the customer’s address of today, with its PDF and the link to its page; ten times a day to one
     * recipient. Test mode captures it, but for what goes to people of your team: `npx bursar mail`.
     */
    send(id, options) {
        return request(this.#connection, { method: 'POST', path: '/invoices/{id}/send', keyed: true, answer: 'Invoice' }, [id], undefined, undefined, options);
    }
    /** Get an invoice as a PDF. In any state: what it is stands on it. */
    getPdf(id, options) {
        return request(this.#connection, { method: 'GET', path: '/invoices/{id}/pdf', bytes: true }, [id], undefined, undefined, options);
    }
}
export class CreditNotesResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /** List credit notes. Newest first: one for each refund of a paid invoice that was completed. */
    list(query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/credit-notes', answer: 'CreditNotePage' }, [], { ...query, ...next }, undefined, options);
        return new ListRequest(load, true);
    }
    /**
     * Export credit notes as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in
     * UTC and your time zone. With `by_tax_rate`, a row for each tax rate.
     */
    export(query, options) {
        return request(this.#connection, { method: 'GET', path: '/credit-notes/export', bytes: true }, [], query, undefined, options);
    }
    /** Get a credit note. What of a paid invoice was given back by a refund. */
    get(id, options) {
        return request(this.#connection, { method: 'GET', path: '/credit-notes/{id}', answer: 'CreditNote' }, [id], undefined, undefined, options);
    }
    /**
     * Mail a credit note. To the customer’s address of today, with its PDF; ten times a day to one recipient. Test mode captures it as
     * it does invoices.
     */
    send(id, options) {
        return request(this.#connection, { method: 'POST', path: '/credit-notes/{id}/send', keyed: true, answer: 'CreditNote' }, [id], undefined, undefined, options);
    }
    /** Get a credit note as a PDF. Also one that is void: it says so. */
    getPdf(id, options) {
        return request(this.#connection, { method: 'GET', path: '/credit-notes/{id}/pdf', bytes: true }, [id], undefined, undefined, options);
    }
}
export class PayoutsResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /** Quote a payout. What it would cost and what would arrive. Nothing is debited; the price holds for five minutes. */
    quote(body, options) {
        return request(this.#connection, { method: 'POST', path: '/payouts/quote', keyed: true, body: 'QuotePayout', answer: 'PayoutQuote' }, [], undefined, body, options);
    }
    /**
     * Create a payout. Moves the amount from available to pending and hands the payout to the rail; one that is above a limit (`GET
     * /limits`) waits for a second person before that. One payout per reference. It goes to a `destination`, or to a `beneficiary`
     * that you have saved.
     */
    create(body, options) {
        return request(this.#connection, { method: 'POST', path: '/payouts', keyed: true, body: 'CreatePayout', answer: 'Payout' }, [], undefined, body, options);
    }
    /** List payouts. Newest first. */
    list(query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/payouts', answer: 'PayoutPage' }, [], { ...query, ...next }, undefined, options);
        return new ListRequest(load, true);
    }
    /**
     * Export payouts as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and
     * your time zone.
     */
    export(query, options) {
        return request(this.#connection, { method: 'GET', path: '/payouts/export', bytes: true }, [], query, undefined, options);
    }
    /** Get a payout by its reference. By your own id. After a lost answer, ask this before you create the payout again. */
    get(reference, options) {
        return request(this.#connection, { method: 'GET', path: '/payouts/{reference}', answer: 'Payout' }, [reference], undefined, undefined, options);
    }
    /** Cancel a pending payout. Possible until the rail is asked. The amount is available again. */
    cancel(reference, options) {
        return request(this.#connection, { method: 'POST', path: '/payouts/{reference}/cancel', keyed: true, answer: 'Payout' }, [reference], undefined, undefined, options);
    }
    /**
     * Approve or refuse payouts. Up to 100 that wait for a second person, each as if it came alone: `skipped` has those that stay as
     * they were. Needs the scope `approve`.
     */
    decide(body, options) {
        return request(this.#connection, { method: 'POST', path: '/payouts/decisions', keyed: true, answer: 'PayoutDecisions' }, [], undefined, body, options);
    }
    /**
     * Approve a payout that waits. It goes to its rail, at the price it was made at. Needs the scope `approve`; who made the payout,
     * or made the key that did, cannot.
     */
    approve(reference, options) {
        return request(this.#connection, { method: 'POST', path: '/payouts/{reference}/approve', keyed: true, answer: 'Payout' }, [reference], undefined, undefined, options);
    }
    /** Refuse a payout that waits. It is canceled, and its amount is available again. Needs the scope `approve`. */
    refuse(reference, options) {
        return request(this.#connection, { method: 'POST', path: '/payouts/{reference}/refuse', keyed: true, answer: 'Payout' }, [reference], undefined, undefined, options);
    }
    /** End a test payout. As if the rail had said so. `returned` is for a payout that is completed: the money comes back. */
    simulate(reference, body, options) {
        return request(this.#connection, { method: 'POST', path: '/payouts/{reference}/simulate', keyed: true, answer: 'Payout' }, [reference], undefined, body, options);
    }
}
export class ReportsResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /**
     * Get what became of payouts. Those that were made in a period, by wallet, status, reason and means: how many, what was charged
     * and what was sent. One by one they are in `GET /payouts/export`.
     */
    getPayouts(query, options) {
        return request(this.#connection, { method: 'GET', path: '/reports/payouts', answer: 'PayoutReport' }, [], query, undefined, options);
    }
    /**
     * Get what was paid in fees. By day or month of your business’s time zone, wallet, what it was charged for, and means, as the
     * ledger has it; a fee counts when it was taken. The totals are those of the statements.
     */
    getFees(query, options) {
        return request(this.#connection, { method: 'GET', path: '/reports/fees', answer: 'FeesReport' }, [], query, undefined, options);
    }
    /** Get the fees report as CSV. A line for each of its lines. */
    getFeesCsv(query, options) {
        return request(this.#connection, { method: 'GET', path: '/reports/fees/csv', bytes: true }, [], query, undefined, options);
    }
    /**
     * Get what came from payers. Payments and deposits by day or month of your business’s time zone, wallet and means: what was paid,
     * the fees kept of it, and what reached the wallet. The totals are those of the statements.
     */
    getSettlements(query, options) {
        return request(this.#connection, { method: 'GET', path: '/reports/settlements', answer: 'SettlementReport' }, [], query, undefined, options);
    }
    /** Get the settlement report as CSV. A line for each of its lines. */
    getSettlementsCsv(query, options) {
        return request(this.#connection, { method: 'GET', path: '/reports/settlements/csv', bytes: true }, [], query, undefined, options);
    }
}
export class ConversionsResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /** Quote a conversion. What it would cost and give, held for five minutes. Nothing moves. */
    quote(body, options) {
        return request(this.#connection, { method: 'POST', path: '/conversions/quote', keyed: true, body: 'QuoteConversion', answer: 'ConversionQuote' }, [], undefined, body, options);
    }
    /** Convert money. From one of your wallets into the other, at once, at the rate and fee of a quote. A quote makes one conversion. */
    create(body, options) {
        return request(this.#connection, { method: 'POST', path: '/conversions', keyed: true, answer: 'Conversion' }, [], undefined, body, options);
    }
    /** List conversions. Newest first. */
    list(query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/conversions', answer: 'ConversionPage' }, [], { ...query, ...next }, undefined, options);
        return new ListRequest(load, true);
    }
    /**
     * Export conversions as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC
     * and your time zone.
     */
    export(query, options) {
        return request(this.#connection, { method: 'GET', path: '/conversions/export', bytes: true }, [], query, undefined, options);
    }
    /** Get a conversion. One that was made; nothing of it changes any more. */
    get(id, options) {
        return request(this.#connection, { method: 'GET', path: '/conversions/{id}', answer: 'Conversion' }, [id], undefined, undefined, options);
    }
}
export class PayoutBatchesResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /**
     * Make payouts in a batch. Up to 10,000, checked before any is made: a line that cannot be paid stops the batch, or is left out
     * with `skip_bad`. They are ordinary payouts, made by and by: `GET /payout-batches/{id}` says how far it is. With `dry_run` it is
     * a draft, which names each bad line and waits to be confirmed.
     */
    create(body, options) {
        return request(this.#connection, { method: 'POST', path: '/payouts/batch', keyed: true, body: 'CreatePayoutBatch', answer: 'PayoutBatch' }, [], undefined, body, options);
    }
    /** List batches of payouts. Newest first. */
    list(query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/payout-batches', answer: 'PayoutBatchPage' }, [], { ...query, ...next }, undefined, options);
        return new ListRequest(load, true);
    }
    /** Get a batch of payouts. How many lines stand where, and how many of its payouts. */
    get(id, options) {
        return request(this.#connection, { method: 'GET', path: '/payout-batches/{id}', answer: 'PayoutBatch' }, [id], undefined, undefined, options);
    }
    /** List the lines of a batch. In their order: whom each pays, and which payout it has become, or why it has not. */
    listLines(id, query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/payout-batches/{id}/lines', answer: 'PayoutBatchLinePage' }, [id], { ...query, ...next }, undefined, options);
        return new ListRequest(load, false);
    }
    /**
     * Export a batch for a bank. The lines that are not paid here, as payment orders of ISO 20022 (`pain.001.001.09`). Cancel a draft
     * first, so that it cannot be confirmed here too.
     */
    export(id, query, options) {
        return request(this.#connection, { method: 'GET', path: '/payout-batches/{id}/pain001', bytes: true }, [id], query, undefined, options);
    }
    /** Confirm a draft of a batch. Has its payouts made, by who confirms it. */
    confirm(id, body, options) {
        return request(this.#connection, { method: 'POST', path: '/payout-batches/{id}/confirm', keyed: true, answer: 'PayoutBatch' }, [id], undefined, body, options);
    }
    /**
     * Pay again what failed of a batch. Makes a draft of the lines that were refused, or whose payout failed, came back or was not
     * approved in time. It pays nobody before you confirm it. A line is in one such batch at a time.
     */
    retry(id, body, options) {
        return request(this.#connection, { method: 'POST', path: '/payout-batches/{id}/retry', keyed: true, answer: 'PayoutBatch' }, [id], undefined, body, options);
    }
    /**
     * Cancel remaining lines of a batch. No more payouts are made of it. Those that were made stay, and can be canceled each while it
     * is pending.
     */
    cancel(id, options) {
        return request(this.#connection, { method: 'POST', path: '/payout-batches/{id}/cancel', keyed: true, answer: 'PayoutBatch' }, [id], undefined, undefined, options);
    }
}
export class PayoutSchedulesResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /**
     * Create a payout schedule. Has what a wallet holds above `keep` paid to an account of your own, daily, weekly or monthly. Each
     * run is an ordinary payout.
     */
    create(body, options) {
        return request(this.#connection, { method: 'POST', path: '/payout-schedules', keyed: true, body: 'CreatePayoutSchedule', answer: 'PayoutSchedule' }, [], undefined, body, options);
    }
    /** List payout schedules. Newest first. */
    list(query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/payout-schedules', answer: 'PayoutSchedulePage' }, [], { ...query, ...next }, undefined, options);
        return new ListRequest(load, true);
    }
    /** Get a payout schedule. With its next runs, and what one would pay now. */
    get(id, options) {
        return request(this.#connection, { method: 'GET', path: '/payout-schedules/{id}', answer: 'PayoutSchedule' }, [id], undefined, undefined, options);
    }
    /**
     * Change a payout schedule. Pauses it, resumes it, or changes its rule, which moves the next run. Fields that are left out stay as
     * they are.
     */
    update(id, body, options) {
        return request(this.#connection, { method: 'PATCH', path: '/payout-schedules/{id}', body: 'UpdatePayoutSchedule', answer: 'PayoutSchedule' }, [id], undefined, body, options);
    }
    /** Delete a payout schedule. It runs no more, and reads as not found. Payouts that it has made stay as they are. */
    delete(id, options) {
        return request(this.#connection, { method: 'DELETE', path: '/payout-schedules/{id}', answer: 'PayoutSchedule' }, [id], undefined, undefined, options);
    }
    /** List the runs of a payout schedule. What each came to: a payout, or why there is none. The latest first. */
    listRuns(id, query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/payout-schedules/{id}/runs', answer: 'PayoutScheduleRunPage' }, [id], { ...query, ...next }, undefined, options);
        return new ListRequest(load, true);
    }
}
export class LimitsResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /** Get the limits of payouts. Above what payouts wait for a second person or are refused, and what today has sent. */
    get(options) {
        return request(this.#connection, { method: 'GET', path: '/limits', answer: 'Limits' }, [], undefined, undefined, options);
    }
    /**
     * Change the limits of payouts. From now on; fields that are left out stay as they are. In live mode what loosens limits waits, as
     * `pending_change`, for 24 hours or until a second person confirms it; every owner is mailed. Another that loosens takes its
     * place, and what you make stricter is taken from it. A key that can create payouts can make limits stricter only.
     */
    update(body, options) {
        return request(this.#connection, { method: 'PUT', path: '/limits', body: 'UpdateLimits', answer: 'Limits' }, [], undefined, body, options);
    }
    /**
     * Confirm a change that loosens limits. It takes effect at once. The person who requested the change cannot confirm it, nor can
     * their keys. For 72 hours after an invitation, neither can a person whom they invited, who invited them, or whom the same person
     * invited.
     */
    confirmPending(id, options) {
        return request(this.#connection, { method: 'POST', path: '/limits/pending/{id}/confirm', keyed: true, answer: 'Limits' }, [id], undefined, undefined, options);
    }
    /** Cancel a change that loosens limits. The limits stay as they are. The person who requested the change can cancel it too. */
    cancelPending(id, options) {
        return request(this.#connection, { method: 'POST', path: '/limits/pending/{id}/cancel', keyed: true, answer: 'Limits' }, [id], undefined, undefined, options);
    }
    /**
     * Get how often limits fired. How often each limit, your own and the operator’s, refused a payout or had it wait: today, and in
     * the last 7 and 30 days of UTC.
     */
    rules(options) {
        return request(this.#connection, { method: 'GET', path: '/limits/rules' }, [], undefined, undefined, options);
    }
}
export class BeneficiariesResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /**
     * Save a beneficiary. Where you pay to, with the holder’s name as the bank knows it. Payouts can name it by its id once it has
     * cooled off (`GET /limits`).
     */
    create(body, options) {
        return request(this.#connection, { method: 'POST', path: '/beneficiaries', keyed: true }, [], undefined, body, options);
    }
    /** List beneficiaries. Newest first. */
    list(query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/beneficiaries' }, [], { ...query, ...next }, undefined, options);
        return new ListRequest(load, true);
    }
    /**
     * Export beneficiaries as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in
     * UTC and your time zone.
     */
    export(query, options) {
        return request(this.#connection, { method: 'GET', path: '/beneficiaries/export', bytes: true }, [], query, undefined, options);
    }
    /** Get a beneficiary. Not one that was deleted. */
    get(id, options) {
        return request(this.#connection, { method: 'GET', path: '/beneficiaries/{id}' }, [id], undefined, undefined, options);
    }
    /**
     * Change a beneficiary. Fields that are left out stay as they are. Give a destination as a whole: its holder is looked up. If it
     * is another account, the beneficiary cools off again, and an account of your own must be confirmed again.
     */
    update(id, body, options) {
        return request(this.#connection, { method: 'PATCH', path: '/beneficiaries/{id}' }, [id], undefined, body, options);
    }
    /** Delete a beneficiary. It reads as not found from now on. Payouts that were made for it stay as they are. */
    delete(id, options) {
        return request(this.#connection, { method: 'DELETE', path: '/beneficiaries/{id}' }, [id], undefined, undefined, options);
    }
}
export class CustomersResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /** Create a customer. Give `name`, or `first_name` and `last_name`. A reference is one customer’s until it is deleted. */
    create(body, options) {
        return request(this.#connection, { method: 'POST', path: '/customers', keyed: true }, [], undefined, body, options);
    }
    /** List customers. Newest first. */
    list(query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/customers' }, [], { ...query, ...next }, undefined, options);
        return new ListRequest(load, true);
    }
    /**
     * Export customers as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC
     * and your time zone.
     */
    export(query, options) {
        return request(this.#connection, { method: 'GET', path: '/customers/export', bytes: true }, [], query, undefined, options);
    }
    /** Get a customer. Not one that was deleted. */
    get(id, options) {
        return request(this.#connection, { method: 'GET', path: '/customers/{id}' }, [id], undefined, undefined, options);
    }
    /**
     * Change a customer. Fields that are left out stay as they are; null clears one. New parts of the name rebuild `name`, unless it
     * is given too; one part alone does not.
     */
    update(id, body, options) {
        return request(this.#connection, { method: 'PUT', path: '/customers/{id}' }, [id], undefined, body, options);
    }
    /**
     * Delete a customer. It reads as not found from now on, and its reference is free. The records of its money stay. The answer is
     * the customer as it was last.
     */
    delete(id, options) {
        return request(this.#connection, { method: 'DELETE', path: '/customers/{id}' }, [id], undefined, undefined, options);
    }
    /**
     * Export what is kept of a customer. Also of one that was deleted, to answer a customer who asks for their data: the customer,
     * identity documents (without their numbers), payments, refunds, invoices, accounts, mails and events.
     */
    exportData(id, options) {
        return request(this.#connection, { method: 'GET', path: '/customers/{id}/export' }, [id], undefined, undefined, options);
    }
    /**
     * Erase a customer for good. Everything personal is emptied: names, addresses, identity documents, email addresses of payments,
     * bill-to of invoices, senders of money, mails, and what events say of them. Amounts, times and ids stay. It cannot be undone;
     * download first what the law has you keep, such as invoices. Refused while something is open that needs the customer. Also of one
     * that was deleted; again, it changes nothing. What providers keep, erase there.
     */
    erase(id, options) {
        return request(this.#connection, { method: 'POST', path: '/customers/{id}/erase', keyed: true }, [id], undefined, undefined, options);
    }
    /** List a customer’s verified identity documents. A plain array. Numbers are hidden but for their last characters. */
    listDocuments(id, options) {
        return request(this.#connection, { method: 'GET', path: '/customers/{id}/documents' }, [id], undefined, undefined, options);
    }
    /**
     * Verify an identity document. Replaces the customer’s document of the type, but a failed one never replaces a verified one. Where
     * a rail verifies it, the document is `pending`, and `customer.document.verified` or `.failed` tells what came of it; some rails
     * compare the number with an account of its holder, and then `bank_code` and `account_number` are required. What no rail verifies
     * and is on a paper (any type but a `bvn`), a person of the operator’s looks at: `review` says so. Test keys without such a rail:
     * a number whose digits are 1 fails as `mismatch`, 2 as `not_found`; any other is verified.
     */
    verifyDocument(id, body, options) {
        return request(this.#connection, { method: 'POST', path: '/customers/{id}/documents', keyed: true }, [id], undefined, body, options);
    }
}
export class TransactionsResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /** List transactions. Newest first. */
    list(query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/transactions', answer: 'TransactionPage' }, [], { ...query, ...next }, undefined, options);
        return new ListRequest(load, true);
    }
    /**
     * Export transactions as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in
     * UTC and your time zone.
     */
    export(query, options) {
        return request(this.#connection, { method: 'GET', path: '/transactions/export', bytes: true }, [], query, undefined, options);
    }
    /** Verify a transaction. The transaction as it stands in the ledger now. Ask this before you hand out goods for a webhook. */
    verify(id, options) {
        return request(this.#connection, { method: 'GET', path: '/transactions/{id}/verify', answer: 'Transaction' }, [id], undefined, undefined, options);
    }
    /**
     * Get a signed receipt of a transaction. What the transaction moved, and what proves that the ledger had it so on that day: it can
     * be checked without the server, by `bursar receipt verify` or a few lines of your own (docs/proofs.md). It is there when the day
     * in UTC is over on which its last movement was sealed.
     */
    getReceipt(id, options) {
        return request(this.#connection, { method: 'GET', path: '/transactions/{id}/receipt', answer: 'TransactionReceipt' }, [id], undefined, undefined, options);
    }
}
export class StatementsResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /**
     * Get the statement of a month. What each wallet held when the month began, what came, left and was paid in fees, and what it held
     * when the month ended, as the ledger has it. The month is one of your business’s time zone.
     */
    get(month, options) {
        return request(this.#connection, { method: 'GET', path: '/statements/{month}', answer: 'Statement' }, [month], undefined, undefined, options);
    }
    /**
     * Get a statement as CSV. A line for each sum, in major units and in minor ones. The single movements are in the export of
     * transactions, by `completed_from` and `completed_to`: opening and their `balance_change` come to closing.
     */
    getCsv(month, query, options) {
        return request(this.#connection, { method: 'GET', path: '/statements/{month}/csv', bytes: true }, [month], query, undefined, options);
    }
    /** Get a statement as a PDF. The same for people. */
    getPdf(month, options) {
        return request(this.#connection, { method: 'GET', path: '/statements/{month}/pdf', bytes: true }, [month], undefined, undefined, options);
    }
}
export class ExportsResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /**
     * Export a journal for bookkeeping. Double entry from the ledger, for hledger, Ledger or Beancount. Each posting is an entry with
     * its id. The journal starts with opening balances and ends with what the wallets hold, which the program checks.
     */
    journal(query, options) {
        return request(this.#connection, { method: 'GET', path: '/exports/journal', bytes: true }, [], query, undefined, options);
    }
    /**
     * Export a bank statement of a wallet. The days of a wallet as a bank would report them, for accounting and treasury programs:
     * booked balances before and after, and an entry for each movement with its bank transaction code. Each statement opens with what
     * the one before closed with. Opening and entries come to the closing balance.
     */
    statement(query, options) {
        return request(this.#connection, { method: 'GET', path: '/exports/statement', bytes: true }, [], query, undefined, options);
    }
}
export class CryptoTokensResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /**
     * List the stablecoins and their networks. A live key sees main networks only. A test key also sees test networks; the sandbox
     * plays every network that the server does not speak to in test mode.
     */
    list(options) {
        return request(this.#connection, { method: 'GET', path: '/crypto/tokens' }, [], undefined, undefined, options);
    }
}
export class BanksResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /** List the banks of a country. A plain array, by name. */
    list(country, options) {
        return request(this.#connection, { method: 'GET', path: '/misc/{country}/banks' }, [country], undefined, undefined, options);
    }
    /** Ask who holds an account. Ask it before a payout. Nigeria only: banks in the US do not tell. */
    resolve(country, query, options) {
        return request(this.#connection, { method: 'GET', path: '/misc/{country}/resolve' }, [country], query, undefined, options);
    }
}
export class BusinessResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /** Get your business. Whom the key speaks for, and how payers know it. Test and live mode have a profile each. */
    get(options) {
        return request(this.#connection, { method: 'GET', path: '/business' }, [], undefined, undefined, options);
    }
    /**
     * Change your business. Fields that are left out stay as they are; null clears one. The hosted pages, mails and PDFs of the key’s
     * mode show it from now on; an invoice that is finalized keeps who the seller was.
     */
    update(body, options) {
        return request(this.#connection, { method: 'PUT', path: '/business' }, [], undefined, body, options);
    }
}
export class AuditResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /**
     * List who changed what. The audit log of the key’s mode, newest first: keys, webhook endpoints, limits, the team and the
     * business’s profile, changed by requests, by people and by the operator’s commands. Needs a key with the scope `manage`.
     */
    list(query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/audit' }, [], { ...query, ...next }, undefined, options);
        return new ListRequest(load, true);
    }
    /**
     * Export audit entries as CSV. The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in
     * UTC and your time zone.
     */
    export(query, options) {
        return request(this.#connection, { method: 'GET', path: '/audit/export', bytes: true }, [], query, undefined, options);
    }
}
export class RecordsResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /**
     * Explain a record. Takes the id of a payment, payout, refund, transaction, deposit, virtual account, crypto wallet, invoice,
     * collection, customer, event, webhook delivery, API key, entry of the audit log or any other record, and tells everything that
     * became of it and of what belongs to it: states, ledger postings, events and their deliveries, requests, what the rail knows it
     * by, and what it waits for.
     */
    explain(id, options) {
        return request(this.#connection, { method: 'GET', path: '/explain/{id}' }, [id], undefined, undefined, options);
    }
}
export class WebhooksResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /**
     * Register a webhook endpoint. The answer shows the signing secret; no later one does. A name that cannot be resolved yet is a
     * warning. At most 20 endpoints per business and mode.
     */
    create(body, options) {
        return request(this.#connection, { method: 'POST', path: '/webhooks', keyed: true }, [], undefined, body, options);
    }
    /** List webhook endpoints. Newest first. */
    list(query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/webhooks' }, [], { ...query, ...next }, undefined, options);
        return new ListRequest(load, true);
    }
    /** Get a webhook endpoint. Without its secret, which only its creation and a roll show. */
    get(id, options) {
        return request(this.#connection, { method: 'GET', path: '/webhooks/{id}' }, [id], undefined, undefined, options);
    }
    /** Change a webhook endpoint. Fields that are left out stay as they are. Pending deliveries follow a new URL. */
    update(id, body, options) {
        return request(this.#connection, { method: 'PUT', path: '/webhooks/{id}' }, [id], undefined, body, options);
    }
    /**
     * Delete a webhook endpoint. Nothing more is sent to it: what is pending fails. Its delivery log stays. The answer is the endpoint
     * as it was last.
     */
    delete(id, options) {
        return request(this.#connection, { method: 'DELETE', path: '/webhooks/{id}' }, [id], undefined, undefined, options);
    }
    /**
     * Give a webhook endpoint a new secret. The answer shows the new secret, which signs `X-Signature` from now on. For 24 hours the
     * old one signs `X-Signature-Previous`, and `webhook-signature` has the signatures of both.
     */
    rollSecret(id, options) {
        return request(this.#connection, { method: 'POST', path: '/webhooks/{id}/roll-secret', keyed: true }, [id], undefined, undefined, options);
    }
    /**
     * Send a sample event to a webhook endpoint. The payload is that of your newest event of the type, or a made-up record where there
     * is none, with `test: true` added; the header `X-Event-Sample: true` says so too. Other endpoints do not get it, and only the
     * delivery log shows it: it is no event.
     */
    test(id, body, options) {
        return request(this.#connection, { method: 'POST', path: '/webhooks/{id}/test', keyed: true, answer: 'WebhookDelivery' }, [id], undefined, body, options);
    }
    /**
     * Send failed deliveries again. Resends every failed delivery of this endpoint that was created at `since` or later. Each gets all
     * its tries again.
     */
    recover(id, body, options) {
        return request(this.#connection, { method: 'POST', path: '/webhooks/{id}/recover', keyed: true }, [id], undefined, body, options);
    }
}
export class WebhookDeliveriesResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /** List webhook deliveries. The delivery log, newest first: one entry per event and endpoint, with every try. */
    list(query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/webhooks/events', answer: 'WebhookDeliveryPage' }, [], { ...query, ...next }, undefined, options);
        return new ListRequest(load, true);
    }
    /** Get a webhook delivery. With its latest tries, and when the next is due. */
    get(id, options) {
        return request(this.#connection, { method: 'GET', path: '/webhooks/events/{id}', answer: 'WebhookDelivery' }, [id], undefined, undefined, options);
    }
}
export class EventsResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /** Send an event again. At once, with the same bytes, whatever the endpoint subscribes to. A failure is retried as the first time. */
    resend(body, options) {
        return request(this.#connection, { method: 'POST', path: '/webhooks/events/resend', keyed: true, answer: 'WebhookDelivery' }, [], undefined, body, options);
    }
    /** List events. Newest first, delivered or not. */
    list(query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/events', answer: 'EventPage' }, [], { ...query, ...next }, undefined, options);
        return new ListRequest(load, true);
    }
    /**
     * Follow events as they happen. Server-sent events, for local development: what commits from now on, or after `Last-Event-ID` (or
     * `after`), with nothing missed. `data` is the body that webhooks get, `id` the place to go on from. An event that is resent comes
     * again. At most 10 streams a key and 250 a business.
     */
    stream(query, options) {
        return new EventStream(this.#connection, { method: 'GET', path: '/events/stream' }, query, options);
    }
    /** Get an event. What was, or would have been, sent to endpoints. */
    get(id, options) {
        return request(this.#connection, { method: 'GET', path: '/events/{id}', answer: 'Event' }, [id], undefined, undefined, options);
    }
}
export class RequestsResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /**
     * List requests. What was asked with the keys of this mode, newest first, for seven days unless the operator says otherwise; each
     * shows about a second after its answer. A list looks through 10,000 requests (with `failed=true`, `code` or a `status` from 400
     * on: through 10,000 failed ones), and `totalDocs` counts among these: for older ones give `to` or `after`. Asking here is not
     * recorded. Needs a key with the scope `manage`.
     */
    list(query, options) {
        const load = (next) => request(this.#connection, { method: 'GET', path: '/requests' }, [], { ...query, ...next }, undefined, options);
        return new ListRequest(load, true);
    }
    /** Get a request. By the `X-Request-Id` of its answer. */
    get(id, options) {
        return request(this.#connection, { method: 'GET', path: '/requests/{id}' }, [id], undefined, undefined, options);
    }
}
export class TestClockResource {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /** Read the test clock. The time by which test mode expires, retries and reminds. */
    get(options) {
        return request(this.#connection, { method: 'GET', path: '/test/clock' }, [], undefined, undefined, options);
    }
    /**
     * Move the test clock ahead. Everything that is due by then fires, as if the time had passed: quotes expire, retries and payouts
     * go on.
     */
    advance(body, options) {
        return request(this.#connection, { method: 'POST', path: '/test/clock', keyed: true }, [], undefined, body, options);
    }
}
/** Everything that can be asked. */
export class Resources {
    server;
    proofs;
    wallets;
    virtualAccounts;
    cryptoWallets;
    payments;
    collections;
    refunds;
    disputes;
    products;
    distributions;
    invoices;
    creditNotes;
    payouts;
    reports;
    conversions;
    payoutBatches;
    payoutSchedules;
    limits;
    beneficiaries;
    customers;
    transactions;
    statements;
    exports;
    cryptoTokens;
    banks;
    business;
    audit;
    records;
    webhooks;
    webhookDeliveries;
    events;
    requests;
    testClock;
    constructor(connection) {
        this.server = new ServerResource(connection);
        this.proofs = new ProofsResource(connection);
        this.wallets = new WalletsResource(connection);
        this.virtualAccounts = new VirtualAccountsResource(connection);
        this.cryptoWallets = new CryptoWalletsResource(connection);
        this.payments = new PaymentsResource(connection);
        this.collections = new CollectionsResource(connection);
        this.refunds = new RefundsResource(connection);
        this.disputes = new DisputesResource(connection);
        this.products = new ProductsResource(connection);
        this.distributions = new DistributionsResource(connection);
        this.invoices = new InvoicesResource(connection);
        this.creditNotes = new CreditNotesResource(connection);
        this.payouts = new PayoutsResource(connection);
        this.reports = new ReportsResource(connection);
        this.conversions = new ConversionsResource(connection);
        this.payoutBatches = new PayoutBatchesResource(connection);
        this.payoutSchedules = new PayoutSchedulesResource(connection);
        this.limits = new LimitsResource(connection);
        this.beneficiaries = new BeneficiariesResource(connection);
        this.customers = new CustomersResource(connection);
        this.transactions = new TransactionsResource(connection);
        this.statements = new StatementsResource(connection);
        this.exports = new ExportsResource(connection);
        this.cryptoTokens = new CryptoTokensResource(connection);
        this.banks = new BanksResource(connection);
        this.business = new BusinessResource(connection);
        this.audit = new AuditResource(connection);
        this.records = new RecordsResource(connection);
        this.webhooks = new WebhooksResource(connection);
        this.webhookDeliveries = new WebhookDeliveriesResource(connection);
        this.events = new EventsResource(connection);
        this.requests = new RequestsResource(connection);
        this.testClock = new TestClockResource(connection);
    }
}
