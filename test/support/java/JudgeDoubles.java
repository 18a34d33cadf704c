import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.reflect.TypeToken;
import com.monnify.models.MonnifyBaseResponse;
import com.monnify.models.SearchResponse;
import com.monnify.models.account.ReservedAccountResponse;
import com.monnify.models.auth.AuthResponse;
import com.monnify.models.disbursement.DisbursementSummaryResponse;
import com.monnify.models.disbursement.SingleDisbursementResponse;
import com.monnify.models.transaction.TransactionRecord;
import com.monnify.models.transaction.TransactionStatusResponse;
import com.monnify.models.verification.BankValidationResponse;
import com.monnify.models.wallet.WalletBalanceResponse;
import com.monnify.utils.MonnifyClient;
import java.io.InputStreamReader;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Says which bodies Monnify's own Java models accept: a JSON list of [operation, accepted, why], where why names the fields that are
 * null in an accepted body. Reads [[operation, body], …] from standard input.
 */
public class JudgeDoubles {
  /** The model of each operation's responseBody, by how the operation begins. The first that fits counts. */
  private static final Map<String, Type> models = new LinkedHashMap<>();

  static {
    models.put("POST /api/v1/auth/login", AuthResponse.class);
    models.put("POST /api/v2/bank-transfer/reserved-accounts", ReservedAccountResponse.class);
    models.put("GET /api/v1/transactions/search", TypeToken.getParameterized(SearchResponse.class, TransactionRecord.class).getType());
    models.put("GET /api/v2/transactions/", TransactionStatusResponse.class);
    models.put("GET /api/v2/disbursements/wallet-balance", WalletBalanceResponse.class);
    models.put("GET /api/v2/disbursements/single/summary", DisbursementSummaryResponse.class);
    models.put("POST /api/v2/disbursements/single", SingleDisbursementResponse.class);
    models.put("GET /api/v1/disbursements/account/validate", BankValidationResponse.class);
  }

  public static void main(String[] args) throws Exception {
    Gson gson = gsonOfClient();
    List<Object[]> judged = new ArrayList<>();
    for (JsonElement one : gson.fromJson(new InputStreamReader(System.in, "UTF-8"), JsonArray.class)) {
      String operation = one.getAsJsonArray().get(0).getAsString();
      for (Map.Entry<String, Type> model : models.entrySet()) {
        if (!operation.startsWith(model.getKey())) continue;
        judged.add(judge(gson, model.getKey(), model.getValue(), one.getAsJsonArray().get(1)));
        break;
      }
    }
    System.out.println(gson.toJson(judged));
  }

  /** Monnify's client reads times by a reader of its own in some versions, so its own Gson reads here. */
  private static Gson gsonOfClient() throws ReflectiveOperationException {
    Field field = MonnifyClient.class.getDeclaredField("gson");
    field.setAccessible(true);
    return (Gson) field.get(null);
  }

  private static Object[] judge(Gson gson, String operation, Type model, JsonElement body) throws IllegalAccessException {
    Type answer = TypeToken.getParameterized(MonnifyBaseResponse.class, model).getType();
    try {
      Set<String> empty = new TreeSet<>();
      collectNulls(gson.fromJson(body, answer), "", empty);
      return new Object[] {operation, true, empty.isEmpty() ? "" : "null: " + String.join(", ", empty)};
    } catch (RuntimeException error) {
      // Monnify's reader of times throws errors of its own, not Gson's.
      return new Object[] {operation, false, String.valueOf(error.getMessage())};
    }
  }

  /** Adds the names of all fields of models that are null, each with the fields that lead to it. */
  private static void collectNulls(Object value, String place, Set<String> empty) throws IllegalAccessException {
    if (value instanceof List) {
      for (Object one : (List<?>) value) collectNulls(one, place, empty);
      return;
    }
    if (value == null || !value.getClass().getName().startsWith("com.monnify.")) return;
    for (Field field : value.getClass().getDeclaredFields()) {
      if (Modifier.isStatic(field.getModifiers())) continue;
      field.setAccessible(true);
      String name = place.isEmpty() ? field.getName() : place + "." + field.getName();
      if (field.get(value) == null) empty.add(name.replaceFirst("^responseBody\\.", ""));
      else collectNulls(field.get(value), name, empty);
    }
  }
}
