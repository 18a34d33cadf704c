import bursar.client.apis.CustomersApi
import bursar.client.apis.PayoutsApi
import bursar.client.apis.WalletsApi
import bursar.client.infrastructure.ApiClient
import bursar.client.infrastructure.Serializer
import bursar.client.models.*

fun main() {
    val url = System.getenv("BURSAR_URL")
    ApiClient.accessToken = System.getenv("BURSAR_KEY")
    // What is left out is not sent as null.
    Serializer.kotlinxSerializationJsonConfiguration = { explicitNulls = false }

    val available: Long = WalletsApi(url).listWallets(WalletCurrency.ngn).data.first().available
    check(available == 6_000_000_000) { "the wallet holds $available" }

    val customer = CustomersApi(url).createCustomer(CreateCustomer(name = "Ada Okafor", email = "ada@example.com")).data
    check(customer.name == "Ada Okafor" && customer.type == CustomerType.individual) { customer }

    val account = NigerianBankDestination(bankCode = "058", accountNumber = "0123456789")
    PayoutsApi(url).createPayout(
        CreatePayout("rent-2026-11", 3_000_000_000, WalletCurrency.ngn, PayoutMethod.bank_transfer, PayoutDestination.NigerianBankDestinationValue(account)),
    )
    val payout: Payout = PayoutsApi(url).getPayout("rent-2026-11").data
    check(payout.amount == 3_000_000_000 && payout.status != PayoutStatus.failed) { payout }
    check(payout.destination.accountNumber == "0123456789") { payout }
    println("ok: ${payout.status}")
}
