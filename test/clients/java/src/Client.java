import bursar.client.ApiClient;
import bursar.client.api.CustomersApi;
import bursar.client.api.PayoutsApi;
import bursar.client.api.WalletsApi;
import bursar.client.model.*;

public class Client {
  public static void main(String[] args) throws Exception {
    var client = new ApiClient();
    client.updateBaseUri(System.getenv("BURSAR_URL"));
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + System.getenv("BURSAR_KEY")));

    var wallet = new WalletsApi(client).listWallets(WalletCurrency.NGN).getData().get(0);
    long available = wallet.getAvailable();
    check(available == 6_000_000_000L, "the wallet holds " + available);

    var customer = new CustomersApi(client).createCustomer(new CreateCustomer().name("Ada Okafor").email("ada@example.com"), null).getData();
    check(customer.getName().equals("Ada Okafor") && customer.getType() == CustomerType.INDIVIDUAL, customer.toString());

    var payouts = new PayoutsApi(client);
    var account = new NigerianBankDestination().bankCode("058").accountNumber("0123456789");
    payouts.createPayout(new CreatePayout().reference("rent-2026-11").amount(3_000_000_000L).currency(WalletCurrency.NGN)
        .method(PayoutMethod.BANK_TRANSFER).destination(new PayoutDestination(account)), null);
    var payout = payouts.getPayout("rent-2026-11").getData();
    check(payout.getAmount() == 3_000_000_000L && payout.getStatus() != PayoutStatus.FAILED
        && payout.getDestination().getAccountNumber().equals("0123456789"), payout.toString());
    System.out.println("ok: " + payout.getStatus());
  }

  static void check(boolean holds, String otherwise) {
    if (!holds) throw new AssertionError(otherwise);
  }
}
