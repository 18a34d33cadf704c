/**
 * The checkout in Arabic: modern standard, formal, from right to left, with the digits 0 to 9, in
 * which account and card numbers are written as well. Counts stand after a colon where they change
 * without a new page, so that no noun has to agree with them.
 */
import type { Strings } from './en.ts'

const locale = 'ar-u-nu-latn'

/** A length of time, in words that agree with its number. */
const duration = (count: number, unit: 'day' | 'hour' | 'minute'): string =>
  new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count)

const plurals = new Intl.PluralRules('ar')

function items(count: number): string {
  const noun = {
    zero: 'صنف',
    one: 'صنف واحد',
    two: 'صنفان',
    few: 'أصناف',
    many: 'صنفًا',
    other: 'صنف',
  }
  const rule = plurals.select(count)
  return rule === 'one' || rule === 'two' ? noun[rule] : `${count} ${noun[rule]}`
}

export const ar: Strings = {
  locale,
  dir: 'rtl',
  name: 'العربية',
  languages: 'اللغات',

  poweredBy: 'المدفوعات عبر Bursar',
  questions: 'هل لديكم أسئلة؟',
  reach: 'للتواصل:',
  terms: 'الشروط والأحكام',
  testMode: 'وضع الاختبار',
  testModeMeans: 'لا تُنقل أي أموال حقيقية',
  titled: (title, business) => `${title} – ${business}`,
  wrong: (title) => `خطأ: ${title}`,

  pay: (amount) => `ادفع ${amount}`,
  payTo: (business) => `الدفع إلى ${business}`,
  amountToPay: 'المبلغ المطلوب دفعه',
  stillToPay: 'المبلغ المتبقي',
  beingConfirmed: 'قيد التأكيد',
  price: 'السعر',
  billedTo: 'الفاتورة باسم',
  withoutTax: 'المبلغ قبل الضريبة',
  taxOf: (rate, net) => `ضريبة ${rate} على ${net}`,
  taxed: (rate, inclusive) => (inclusive ? `شامل ضريبة ${rate}` : `تضاف إليه ضريبة ${rate}`),
  fee: 'رسوم طريقة الدفع هذه',
  total: 'الإجمالي',
  received: 'المبلغ المستلم حتى الآن',
  reference: 'الرقم المرجعي',
  invoice: (number) => `الفاتورة ${number}`,
  invoicePdf: (number) => `الفاتورة ${number} (PDF)`,
  voided: (number) => `أُلغيت الفاتورة ${number}`,
  dueOn: (day) => `تاريخ الاستحقاق ${day}`,
  exchanged: (total, euro, dollars) => `${total} بسعر صرف ${euro} = ${dollars}`,
  taxId: (number) => `الرقم الضريبي ${number}`,
  showMore: 'عرض المزيد',
  showLess: 'عرض أقل',
  items,
  each: (quantity, unit) => `${quantity} × ${unit}`,
  cancel: 'إلغاء والعودة',
  partly: (received, price, due) =>
    `استلمنا ${received} من أصل ${price}. يُرجى دفع المبلغ المتبقي وقدره ${due}.`,
  kept: (amount, business) =>
    `استلمنا ${amount} ولم نتمكن من إعادته إليكم، ولا يُحتسب هذا المبلغ هنا. يُرجى التواصل مع ${business} بهذا الشأن مع ذكر الرقم المرجعي أدناه.`,

  countdown: {
    days: 'الأيام المتبقية: {}',
    hours: 'الساعات المتبقية: {}',
    hour: 'المتبقي: ساعة واحدة',
    minutes: 'الوقت المتبقي: {}',
  },
  left: (seconds) => {
    if (seconds >= 2 * 86_400) return `المتبقي: ${duration(Math.floor(seconds / 86_400), 'day')}`
    if (seconds >= 3_600) return `المتبقي: ${duration(Math.floor(seconds / 3_600), 'hour')}`
    return seconds >= 60
      ? `المتبقي: ${duration(Math.floor(seconds / 60), 'minute')}`
      : 'المتبقي: أقل من دقيقة'
  },
  oneMinuteLeft: 'بقيت دقيقة واحدة للدفع.',

  waysToPay: 'طرق الدفع',
  howToPay: 'كيف تودّون الدفع؟',
  methods: { card: 'بطاقة', bank_transfer: 'تحويل مصرفي', crypto: 'عملات رقمية' },
  methodHints: {
    card: 'بطاقة خصم أو ائتمان',
    bank_transfer: 'من تطبيق مصرفكم أو موقعه',
    crypto: 'من محفظتكم الرقمية',
  },
  copy: 'نسخ',
  copied: 'تم النسخ',
  updatesItself: 'تُحدَّث هذه الصفحة تلقائيًا.',

  payerEmail: {
    title: 'البريد الإلكتروني',
    hint: 'قد يُرسل إيصالكم إليه.',
    known: (email) => `قد يُرسل إيصال إلى ${email}.`,
    wrong: 'يُرجى التحقق من عنوان البريد الإلكتروني. يجب أن يكون على شكل name@example.com.',
  },

  card: {
    title: 'الدفع بالبطاقة',
    number: 'رقم البطاقة',
    numberExample: '1234 1234 1234 1234',
    expiry: 'الانتهاء',
    expiryFormat: 'شهر/سنة',
    cvc: 'رمز الأمان',
    cvcExample: 'CVC',
    paying: 'جارٍ الدفع…',
    processing: 'جارٍ التحقق لدى مصرفكم',
    processingMeans: 'قد يستغرق ذلك لحظات. يُرجى إبقاء هذه الصفحة مفتوحة وعدم الدفع مرة أخرى.',
    ending: (brand, last4) => `${brand} المنتهية بالأرقام ${last4}`,
    usedCard: 'البطاقة',
    brands: 'البطاقات المقبولة',
    secure: 'هذا الاتصال مشفَّر (https).',
    insecure: 'هذا الاتصال غير مشفَّر، وهو للاختبار فقط.',
    closed: (business) =>
      `جرت محاولات كثيرة بالبطاقات لهذه الدفعة. يُرجى اختيار طريقة دفع أخرى، أو طلب دفعة جديدة من ${business}.`,
    challenge: 'يطلب مصرفكم تأكيد الدفع',
    challengeMeans: (amount, business) => `هل تريدون دفع ${amount} إلى ${business}؟`,
    approve: 'نعم، أريد الدفع',
    reject: 'لا، لا أريد الدفع',
    again: 'يُرجى إدخاله مرة أخرى: لا تُحفظ بيانات البطاقات هنا.',
    faults: {
      number: 'أحد أرقام هذه البطاقة غير صحيح. يُرجى مقارنته ببطاقتكم.',
      number_length: 'عدد الأرقام أقل أو أكثر من المطلوب. يُرجى مقارنة الرقم ببطاقتكم.',
      expiry: 'يُرجى إدخال شهر الانتهاء وسنته، مثل 08/29.',
      expired: 'انتهت صلاحية هذه البطاقة. يُرجى التحقق من التاريخ أو استخدام بطاقة أخرى.',
      cvc: 'يُرجى إدخال أرقام رمز الأمان الثلاثة، وغالبًا ما تكون على ظهر البطاقة.',
      cvc_four: 'يُرجى إدخال أرقام رمز الأمان الأربعة الموجودة على وجه البطاقة.',
    },
    failures: {
      declined: 'رفض مصرفكم هذه البطاقة. يُرجى تجربة بطاقة أخرى أو مراجعة مصرفكم.',
      insufficient_funds: 'رصيد هذه البطاقة غير كافٍ. يُرجى تجربة بطاقة أخرى أو طريقة دفع أخرى.',
      expired_card: 'انتهت صلاحية هذه البطاقة. يُرجى تجربة بطاقة أخرى.',
      incorrect_cvc: 'رمز الأمان غير صحيح. يُرجى التحقق منه والمحاولة مرة أخرى.',
      processing_error: 'تعذّر الوصول إلى مصرفكم. يُرجى المحاولة مرة أخرى بعد لحظات.',
      challenge_failed: 'لم يُؤكَّد الدفع لدى مصرفكم. يُرجى المحاولة مرة أخرى أو استخدام بطاقة أخرى.',
      not_completed: 'لم تكتمل عملية الدفع. يُرجى المحاولة مرة أخرى.',
      not_begun: 'تعذّر فتح صفحة الدفع. لم يُخصم منكم أي مبلغ. يُرجى المحاولة مرة أخرى بعد لحظات.',
      real_card:
        'هذه صفحة اختبار، ولا تقبل إلا بطاقات الاختبار. لم يُخصم أي مبلغ من بطاقتكم، ولم يُحفظ شيء من بياناتها.',
    },
  },

  leave: {
    title: 'جارٍ نقلكم إلى صفحة الدفع الآمنة',
    means: (host) => `يتم الدفع على ${host}، ثم تعودون إلى هنا.`,
    go: 'الانتقال إلى صفحة الدفع',
    stay: 'العودة',
    intro: 'تُدخلون بيانات بطاقتكم في صفحة شريكنا للدفع، ثم تعودون إلى هنا.',
    starting: 'جارٍ تجهيز صفحة الدفع',
    startingMeans: 'قد يستغرق ذلك لحظات. لم يُخصم منكم أي مبلغ.',
    openPage: 'المتابعة إلى صفحة الدفع',
    leaving: 'لحظة من فضلكم…',
    away: 'في انتظار المصرف',
    awayMeans: 'إذا كنتم قد دفعتم فلا يلزم أي إجراء آخر: ستُظهر هذه الصفحة ذلك فور تأكيد المصرف.',
    awayGo: 'إذا لم تدفعوا بعد، فيمكنكم المتابعة من حيث توقفتم.',
    again: 'المحاولة مرة أخرى في صفحة الدفع',
    confirmingMeans: 'لا يزال مصرفكم يعالج العملية. يُرجى عدم الدفع مرة أخرى.',
  },

  transfer: {
    title: 'الدفع بتحويل مصرفي',
    intro: 'نعطيكم بيانات حساب مصرفي، فتحوّلون إليه المبلغ من تطبيق مصرفكم أو موقعه.',
    start: 'عرض بيانات الحساب',
    starting: 'لحظة من فضلكم…',
    send: (amount) => `يُرجى تحويل ${amount} بالضبط إلى هذا الحساب.`,
    amount: 'المبلغ',
    bank: 'المصرف',
    accountNumber: 'رقم الحساب',
    accountName: 'اسم صاحب الحساب',
    routingNumber: 'رقم التوجيه المصرفي',
    once: 'هذا الحساب مخصص لهذه الدفعة وحدها. يُرجى عدم استخدامه مرة أخرى.',
    waiting: 'في انتظار تحويلكم',
    opening: 'يفتح المصرف حسابًا لدفعتكم',
    unavailable:
      'لا يتيح المصرف حسابًا لهذه الدفعة حاليًا. يُرجى المحاولة لاحقًا أو الدفع بطريقة أخرى.',
    sentBack: (amount) => `وصل تحويل بمبلغ مختلف فأعاده المصرف. يُرجى تحويل ${amount} بالضبط.`,
    returned: (amount) => `حوّلتم مبلغًا مختلفًا فأُعيد إليكم. يُرجى تحويل ${amount} بالضبط.`,
  },

  crypto: {
    title: 'الدفع بالعملات الرقمية',
    intro: 'اختاروا العملة والشبكة اللتين تريدون استخدامهما.',
    lowestFirst: 'تظهر أولًا الشبكات الأقل رسومًا.',
    rate: (token, amount) => `1 ${token} = ${amount}`,
    until: (rate, time) => `${rate}. يسري هذا السعر حتى ${time}.`,
    more: 'عملات وشبكات أخرى',
    coinOn: (token) => `${token} على`,
    testNetworks: 'شبكات اختبار لا قيمة لعملاتها',
    send: (amount, token, network) => `يُرجى إرسال ${amount} ${token} بالضبط على شبكة ${network}.`,
    only: (token, network) =>
      `أرسلوا ${token} فقط، وعلى شبكة ${network} فقط. قد يضيع أي شيء آخر نهائيًا.`,
    amount: 'المبلغ',
    network: 'الشبكة',
    address: 'العنوان',
    qr: 'رمز الاستجابة السريعة للعنوان',
    scan: 'امسحوا العنوان بمحفظتكم، ثم أدخلوا المبلغ',
    open: 'الفتح في المحفظة',
    openMeans:
      'تملأ محفظتكم العملة والشبكة والمبلغ. يُرجى التحقق منها قبل الإرسال. إذا لم يُفتح شيء، فانسخوا العنوان.',
    waiting: 'في انتظار دفعتكم',
    seen: (amount) => `رصدنا دفعتكم بمبلغ ${amount}.`,
    confirming: 'تؤكدها الشبكة الآن، ويستغرق ذلك من ثوانٍ إلى بضع دقائق.',
    nothingToDo: 'لا يلزم أي إجراء آخر، ويمكنكم إغلاق هذه الصفحة.',
    restLater: (rest) => `يمكن دفع المبلغ المتبقي وقدره ${rest} هنا.`,
    confirmingNow: 'في انتظار تأكيدات الشبكة',
    other: 'استخدام عملة أو شبكة أخرى',
    starting: 'لحظة من فضلكم…',
  },

  done: {
    completed: 'اكتمل الدفع',
    completedMeans: (amount, business) => `دفعتم ${amount} إلى ${business}. شكرًا لكم!`,
    failed: 'فشل الدفع',
    failedMeans: (business) =>
      `لم تتم عملية الدفع هذه. يُرجى العودة إلى ${business} للمحاولة مرة أخرى.`,
    expired: 'انتهت المهلة',
    expiredMeans: (business) =>
      `يُرجى عدم إرسال أموال إلى أي حساب أو عنوان ظهر هنا. اطلبوا دفعة جديدة من ${business}.`,
    canceled: 'أُلغيت عملية الدفع',
    canceledMeans: (business) =>
      `أُلغيت عملية الدفع هذه، ولا يمكن دفع أي مبلغ آخر هنا إلى ${business}.`,
    amount: 'المبلغ',
    received: 'المبلغ المستلم',
    surplus: 'المبلغ الزائد',
    date: 'التاريخ',
    paidBy: 'طريقة الدفع',
    surplusMeans: (surplus, business) =>
      `أرسلتم ${surplus} زيادة على المبلغ المستحق. يُرجى التواصل مع ${business} لاسترداده مع ذكر الرقم المرجعي أعلاه.`,
    keptMeans: (received, business) =>
      `استلمنا منكم ${received} بالفعل. يُرجى التواصل مع ${business} بهذا الشأن مع ذكر الرقم المرجعي أعلاه.`,
    lateMeans: (business) =>
      `وصلت أموالكم بعد انتهاء المهلة. يُرجى التواصل مع ${business} بهذا الشأن مع ذكر الرقم المرجعي أعلاه.`,
    returnTo: (business) => `العودة إلى ${business}`,
    takenBack: 'ستُعادون إلى هناك خلال 5 ثوانٍ.',
    close: 'يمكنكم إغلاق هذه الصفحة الآن.',
  },

  test: {
    title: 'وضع الاختبار',
    cards: 'بطاقات اختبار. يصلح أي تاريخ انتهاء في المستقبل وأي رمز أمان.',
    use: 'استخدام',
    useThe: (number) => `استخدام بطاقة الاختبار ${number}`,
    numbers: [
      { number: '4242 4242 4242 4242', means: 'تنجح' },
      { number: '4000 0000 0000 0002', means: 'تُرفض' },
      { number: '4000 0027 6000 3184', means: 'تطلب التأكيد' },
      { number: '4000 0000 0000 0259', means: 'يتأخر جوابها' },
    ],
    simulate: 'اختيار ما يحدث لهذه الدفعة:',
    outcomes: {
      completed: 'دفع المبلغ كاملًا',
      underpaid: 'دفع أقل من المطلوب',
      overpaid: 'دفع أكثر من المطلوب',
      failed: 'الفشل',
      expired: 'انتهاء المهلة',
    },
  },

  said: {
    pending: 'تغيّرت صفحة الدفع.',
    received: (received, due) => `استلمنا ${received}. المبلغ المتبقي: ${due}.`,
    form: 'لم يُخصم أي مبلغ من بطاقتكم. يُرجى مراجعة الصفحة.',
  },

  collection: {
    amount: 'المبلغ',
    amountToPay: 'المبلغ المطلوب دفعه',
    amountIn: (currency) => `المبلغ بعملة ${currency}`,
    between: (min, max) => `من ${min} إلى ${max}`,
    atLeast: (min) => `${min} على الأقل`,
    atMost: (max) => `${max} على الأكثر`,
    email: 'البريد الإلكتروني',
    optional: 'اختياري',
    emailHint: (business) => `ليعرف ${business} مَن دفع.`,
    proceed: 'متابعة',
    proceeding: 'لحظة من فضلكم…',
    full: 'دُفع المبلغ بالكامل',
    fullMeans: (business) =>
      `دُفع كل ما كان مطلوبًا هنا. يُرجى التواصل مع ${business} إن كنتم لا تزالون ترغبون في الدفع.`,
    busy: 'هناك من يدفع الآن',
    busyMeans:
      'لا يمكن لأحد آخر الدفع حتى تنتهي هذه العملية. لم يُخصم منكم أي مبلغ. يُرجى المحاولة مرة أخرى بعد بضع دقائق.',
    again: 'المحاولة مرة أخرى',
    ended: 'انتهى التحصيل هنا',
    endedMeans: (business) =>
      `لم تعد المدفوعات مقبولة هنا. يُرجى التواصل مع ${business} إن كنتم لا تزالون ترغبون في الدفع.`,
    twofold: (large, small) =>
      `يمكن قراءة هذا المبلغ على أنه ${large} أو ${small}. أدخلوه بخانتين عشريتين ودون فاصل للآلاف.`,
    errors: {
      amount_missing: 'أدخلوا المبلغ الذي تريدون دفعه، مثل 5000 أو 49.50.',
      amount_too_small: 'هذا المبلغ أصغر من المسموح. أدخلوا مبلغًا أكبر.',
      amount_too_large: 'هذا المبلغ أكبر من المسموح. أدخلوا مبلغًا أصغر.',
      invalid_email:
        'يُرجى التحقق من عنوان البريد الإلكتروني. يجب أن يكون على شكل name@example.com.',
      full: 'دُفع المبلغ بالكامل للتو، ولا يمكن دفع أي مبلغ آخر هنا.',
    },
    error: 'هناك خطأ ما. يُرجى التحقق مما أدخلتموه.',
  },

  messages: {
    not_found: {
      title: 'تعذّر العثور على هذه الصفحة',
      text: 'يُرجى التأكد من أن الرابط كامل. وإذا لم يعمل بعد ذلك، فاطلبوا رابطًا جديدًا من الجهة التي أرسلته.',
    },
    too_many_tries: {
      title: 'محاولات كثيرة جدًا',
      text: 'يُرجى الانتظار بضع دقائق ثم المحاولة مرة أخرى. لم يُخصم أي مبلغ في هذه المحاولة.',
    },
    out_of_date: {
      title: 'لم تعد هذه الصفحة محدَّثة',
      text: 'تغيّر شيء منذ أن فتحتموها، ولذلك لم يُنفَّذ أي إجراء. يُرجى العودة والمحاولة مرة أخرى.',
    },
    error: {
      title: 'حدث خطأ ما',
      text: 'الخطأ من جهتنا لا من جهتكم. قبل الدفع مرة أخرى، افتحوا صفحة الدفع وتحققوا مما إذا كانت العملية قد تمت.',
    },
  },
  receipt: {
    hello: 'مرحبًا،',
    paid: {
      subject: (business, amount) => `دفعتكم إلى ${business}: ${amount}`,
      means: (business, amount) => `استلم ${business} دفعتكم بقيمة ${amount}. شكرًا لكم.`,
      by: (method) => `طريقة الدفع: ${method}`,
    },
    refunded: {
      subject: (business, amount) => `المبلغ المسترد من ${business}: ${amount}`,
      means: (business, amount) => `أعاد ${business} إليكم ${amount} من دفعتكم.`,
      by: (method) => `طريقة الاسترداد: ${method}`,
    },
    bankMayTake: 'قد يستغرق ظهور المبلغ لدى مصرفكم بضعة أيام.',
    what: (description) => `مقابل: ${description}`,
    line: (what, amount) => `${what}: ${amount}`,
    date: (at) => `التاريخ: ${at}`,
    reference: (reference) => `الرقم المرجعي: ${reference}`,
    see: 'يمكنكم الاطلاع على الدفعة هنا:',
    attached: 'تجدون إيصالكم مرفقًا بصيغة PDF.',
    notAttached: 'تعذّر إنشاء ملف PDF لإيصالكم، لذلك فهو غير مرفق.',
    title: 'إيصال',
    sum: 'المدفوع',
    about: 'مقابل',
    refundedSoFar: 'المُسترد',
    link: 'الإيصال (PDF)',
    page: (page, pages) => `صفحة ${page} من ${pages}`,
    or: 'أو',
    terms: 'الشروط والأحكام:',
    test: '(وضع الاختبار: لم تُنقل أي أموال حقيقية، ولا تُرسل هذه الرسالة.)',
  },
  retry: 'فتح الصفحة من جديد',
}
