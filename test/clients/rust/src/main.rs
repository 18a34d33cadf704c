use bursar::apis::{configuration::Configuration, customers_api, payouts_api, wallets_api};
use bursar::models;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let env = |name| std::env::var(name).unwrap();
    let server = Configuration {
        base_path: env("BURSAR_URL"),
        bearer_access_token: Some(env("BURSAR_KEY")),
        ..Configuration::new()
    };

    let wallets = wallets_api::list_wallets(&server, Some(models::WalletCurrency::Ngn)).await.unwrap();
    let available: i64 = wallets.data[0].available;
    assert_eq!(available, 6_000_000_000);

    let ada = models::CreateCustomer {
        name: Some("Ada Okafor".into()),
        ..models::CreateCustomer::new("ada@example.com".into())
    };
    let customer = customers_api::create_customer(&server, ada, None).await.unwrap();
    assert_eq!(customer.data.r#type, models::CustomerType::Individual);

    let destination = models::NigerianBankDestination::new("058".into(), "0123456789".into());
    let order = models::CreatePayout {
        method: Some(models::PayoutMethod::BankTransfer),
        destination: Some(Box::new(models::PayoutDestination::NigerianBankDestination(Box::new(destination)))),
        ..models::CreatePayout::new("rent-2026-11".into(), 3_000_000_000, models::WalletCurrency::Ngn)
    };
    payouts_api::create_payout(&server, order, None).await.unwrap();
    let payout = payouts_api::get_payout(&server, "rent-2026-11").await.unwrap().data;
    assert_eq!(payout.amount, 3_000_000_000);
    assert_eq!(payout.destination.account_number.as_deref(), Some("0123456789"));

    let event: models::PayoutInitiatedEvent = serde_json::from_str(&delivery(&server, "payout.initiated").await).unwrap();
    assert_eq!(event.payload.reference, "rent-2026-11");
    println!("ok: {:?}", payout.status);
}

/// The body of a delivery, as the stream of events has it too.
async fn delivery(server: &Configuration, kind: &str) -> String {
    let request = server.client.get(format!("{}/events/stream?after=0", server.base_path));
    let mut response = request.bearer_auth(server.bearer_access_token.as_ref().unwrap()).send().await.unwrap();
    let mut text = String::new();
    while let Some(part) = response.chunk().await.unwrap() {
        text.push_str(std::str::from_utf8(&part).unwrap());
        let mut lines: Vec<&str> = text.split('\n').collect();
        lines.pop();
        let found = lines.iter().filter_map(|line| line.strip_prefix("data: ")).find(|data| data.contains(&format!("\"{kind}\"")));
        if let Some(data) = found {
            return data.to_string();
        }
    }
    panic!("{kind} did not come")
}
