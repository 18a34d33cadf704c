import com.prowidesoftware.swift.model.field.Field60F;
import com.prowidesoftware.swift.model.field.Field61;
import com.prowidesoftware.swift.model.field.Field62F;
import com.prowidesoftware.swift.model.mt.mt9xx.MT940;
import com.prowidesoftware.swift.model.mx.MxCamt05300102;
import com.prowidesoftware.swift.model.mx.MxCamt05300108;
import com.prowidesoftware.swift.model.mx.MxPain00100109;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads bank files by Prowide: FORMAT FILE ... Prints a line of JSON for each, in minor units. */
public class ReadBankFile {
  static String minor(BigDecimal amount) {
    return amount.movePointRight(2).toBigIntegerExact().toString();
  }

  static String signed(BigDecimal amount, String mark) {
    return minor(mark.startsWith("C") ? amount : amount.negate());
  }

  static void print(String opening, String closing, List<String> amounts) {
    System.out.println(
        "{\"opening\":\"" + opening + "\",\"closing\":\"" + closing + "\",\"amounts\":["
            + String.join(",", amounts.stream().map(one -> "\"" + one + "\"").toList()) + "]}");
  }

  static void readMt940(String text) {
    String opening = null;
    String closing = null;
    List<String> amounts = new ArrayList<>();
    for (String page : text.split("(?<=\r\n-\r\n)")) {
      String body = page.substring(0, page.length() - 2);
      MT940 one =
          MT940.parse("{1:F01AAAAGB2LAXXX0000000000}{2:I940BBBBGB2LXXXXN}{4:\r\n" + body + "}");
      Field60F first = one.getField60F();
      if (first != null) opening = signed(first.getAmountAsBigDecimal(), first.getDCMark());
      for (Field61 moved : one.getField61())
        amounts.add(signed(moved.getAmountAsBigDecimal(), moved.getDebitCreditMark()));
      Field62F last = one.getField62F();
      if (last != null) closing = signed(last.getAmountAsBigDecimal(), last.getDCMark());
    }
    print(opening, closing, amounts);
  }

  public static void main(String[] args) throws Exception {
    for (int at = 0; at < args.length; at += 2) read(args[at], Files.readString(Path.of(args[at + 1])));
  }

  static void read(String format, String text) {
    List<String> amounts = new ArrayList<>();
    switch (format) {
      case "mt940" -> readMt940(text);
      case "camt.053.001.08" -> {
        var one = MxCamt05300108.parse(text).getBkToCstmrStmt().getStmt().get(0);
        for (var moved : one.getNtry())
          amounts.add(signed(moved.getAmt().getValue(), moved.getCdtDbtInd().value()));
        var first = one.getBal().get(0);
        var last = one.getBal().get(1);
        print(signed(first.getAmt().getValue(), first.getCdtDbtInd().value()),
            signed(last.getAmt().getValue(), last.getCdtDbtInd().value()), amounts);
      }
      case "camt.053.001.02" -> {
        var one = MxCamt05300102.parse(text).getBkToCstmrStmt().getStmt().get(0);
        for (var moved : one.getNtry())
          amounts.add(signed(moved.getAmt().getValue(), moved.getCdtDbtInd().value()));
        var first = one.getBal().get(0);
        var last = one.getBal().get(1);
        print(signed(first.getAmt().getValue(), first.getCdtDbtInd().value()),
            signed(last.getAmt().getValue(), last.getCdtDbtInd().value()), amounts);
      }
      case "pain.001.001.09" -> {
        var order = MxPain00100109.parse(text).getCstmrCdtTrfInitn();
        for (var payment : order.getPmtInf())
          for (var one : payment.getCdtTrfTxInf())
            amounts.add(minor(one.getAmt().getInstdAmt().getValue()));
        print(order.getGrpHdr().getNbOfTxs(), minor(order.getGrpHdr().getCtrlSum()), amounts);
      }
      default -> throw new IllegalArgumentException(format);
    }
  }
}
