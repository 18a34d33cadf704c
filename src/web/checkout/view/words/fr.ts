/**
 * The checkout in French: formal, in the terms of French banks. Before `:`, `?`, `!` stands a space
 * that does not break.
 */
import type { Strings } from './en.ts'

/** Nothing and one are singular. */
const many = (count: number, one: string, more: string): string =>
  `${count} ${count < 2 ? one : more}`

export const fr: Strings = {
  locale: 'fr-FR',
  dir: 'ltr',
  name: 'Français',
  languages: 'Langues',

  poweredBy: 'Paiements par Bursar',
  questions: 'Des questions ?',
  reach: 'Contact :',
  terms: 'Conditions générales',
  testMode: 'Mode test',
  testModeMeans: 'aucun argent réel ne circule',
  titled: (title, business) => `${title} – ${business}`,
  wrong: (title) => `Erreur : ${title}`,

  pay: (amount) => `Payer ${amount}`,
  payTo: (business) => `Payer ${business}`,
  amountToPay: 'Montant à payer',
  stillToPay: 'Reste à payer',
  beingConfirmed: 'En cours de confirmation',
  price: 'Prix',
  billedTo: 'Facturé à',
  withoutTax: 'Hors taxes',
  taxOf: (rate, net) => `Taxe de ${rate} sur ${net}`,
  taxed: (rate, inclusive) => (inclusive ? `taxe de ${rate} comprise` : `taxe de ${rate} en sus`),
  fee: 'Frais de ce moyen de paiement',
  total: 'Total',
  received: 'Déjà reçu',
  reference: 'Référence',
  invoice: (number) => `Facture ${number}`,
  invoicePdf: (number) => `Facture ${number} (PDF)`,
  voided: (number) => `La facture ${number} a été annulée`,
  dueOn: (day) => `échéance le ${day}`,
  exchanged: (total, euro, dollars) => `${total} au taux de ${euro} = ${dollars}`,
  taxId: (number) => `N° d’identification fiscale ${number}`,
  showMore: 'Afficher plus',
  showLess: 'Afficher moins',
  items: (count) => many(count, 'article', 'articles'),
  each: (quantity, unit) => `${quantity} × ${unit}`,
  cancel: 'Annuler et revenir',
  partly: (received, price, due) =>
    `Nous avons reçu ${received} sur ${price}. Veuillez payer le solde de ${due}.`,
  kept: (amount, business) =>
    `Nous avons reçu ${amount} que nous n’avons pas pu vous renvoyer et qui ne compte pas ici. Contactez ${business} à ce sujet, en indiquant la référence ci-dessous.`,

  countdown: {
    days: 'Encore {} jours',
    hours: 'Encore {} heures',
    hour: 'Encore 1 heure',
    minutes: 'Encore {}',
  },
  left: (seconds) => {
    if (seconds >= 2 * 86_400) return `Encore ${Math.floor(seconds / 86_400)} jours`
    if (seconds >= 3_600) return `Encore ${many(Math.floor(seconds / 3_600), 'heure', 'heures')}`
    return seconds >= 60
      ? `Encore ${many(Math.floor(seconds / 60), 'minute', 'minutes')}`
      : 'Moins d’une minute'
  },
  oneMinuteLeft: 'Il vous reste une minute pour payer.',

  waysToPay: 'Moyens de paiement',
  howToPay: 'Comment souhaitez-vous payer ?',
  methods: { card: 'Carte', bank_transfer: 'Virement bancaire', crypto: 'Crypto' },
  methodHints: {
    card: 'Carte de débit ou de crédit',
    bank_transfer: 'Depuis l’application ou le site de votre banque',
    crypto: 'Depuis votre portefeuille',
  },
  copy: 'Copier',
  copied: 'Copié',
  updatesItself: 'Cette page se met à jour toute seule.',

  payerEmail: {
    title: 'Adresse email',
    hint: 'Votre reçu pourra y être envoyé.',
    known: (email) => `Un reçu pourra être envoyé à ${email}.`,
    wrong: 'Vérifiez l’adresse email. Elle doit ressembler à nom@exemple.com.',
  },

  card: {
    title: 'Payer par carte',
    number: 'Numéro de carte',
    numberExample: '1234 1234 1234 1234',
    expiry: 'Expiration',
    expiryFormat: 'MM/AA',
    cvc: 'Code de sécurité',
    cvcExample: 'CVC',
    paying: 'Paiement en cours…',
    processing: 'Vérification auprès de votre banque',
    processingMeans:
      'Cela peut prendre un instant. Veuillez garder cette page ouverte et ne pas payer une seconde fois.',
    ending: (brand, last4) => `${brand} se terminant par ${last4}`,
    usedCard: 'Carte',
    brands: 'Cartes acceptées',
    secure: 'Cette connexion est chiffrée (https).',
    insecure: 'Cette connexion n’est pas chiffrée. Réservée aux tests.',
    closed: (business) =>
      `Trop d’essais par carte ont été faits pour ce paiement. Choisissez un autre moyen de paiement, ou demandez à ${business} un nouveau paiement.`,
    challenge: 'Votre banque vous demande de confirmer',
    challengeMeans: (amount, business) => `Voulez-vous payer ${amount} à ${business} ?`,
    approve: 'Oui, payer',
    reject: 'Non, ne pas payer',
    again: 'Saisissez-le à nouveau : les données de carte ne sont pas conservées ici.',
    faults: {
      number: 'Un chiffre de ce numéro est faux. Comparez-le avec votre carte.',
      number_length: 'Ce numéro a trop ou trop peu de chiffres. Comparez-le avec votre carte.',
      expiry: 'Indiquez le mois et l’année d’expiration, par exemple 08/29.',
      expired: 'Cette carte a expiré. Vérifiez la date, ou utilisez une autre carte.',
      cvc: 'Indiquez les 3 chiffres du code de sécurité, souvent au dos de la carte.',
      cvc_four: 'Indiquez les 4 chiffres du code de sécurité, au recto de la carte.',
    },
    failures: {
      declined:
        'Votre banque a refusé cette carte. Essayez une autre carte, ou adressez-vous à votre banque.',
      insufficient_funds:
        'La provision de cette carte est insuffisante. Essayez une autre carte ou un autre moyen de paiement.',
      expired_card: 'Cette carte a expiré. Essayez une autre carte.',
      incorrect_cvc: 'Le code de sécurité est incorrect. Vérifiez-le et réessayez.',
      processing_error: 'Votre banque n’a pas pu être jointe. Réessayez dans un instant.',
      challenge_failed:
        'Le paiement n’a pas été confirmé auprès de votre banque. Réessayez, ou utilisez une autre carte.',
      not_completed: 'Le paiement n’a pas été mené à terme. Veuillez réessayer.',
      not_begun:
        'La page de paiement n’a pas pu s’ouvrir. Vous n’avez pas été débité. Réessayez dans un instant.',
      real_card:
        'Ceci est une page de test : elle n’accepte que des cartes de test. Votre carte n’a pas été débitée, et rien n’en a été conservé.',
    },
  },

  leave: {
    title: 'Nous vous dirigeons vers la page de paiement sécurisée',
    means: (host) => `Vous payez sur ${host}, puis vous revenez ici.`,
    go: 'Aller à la page de paiement',
    stay: 'Revenir',
    intro:
      'Vous saisissez votre carte sur la page de notre partenaire de paiement, puis vous revenez ici.',
    starting: 'Préparation de la page de paiement',
    startingMeans: 'Cela peut prendre un instant. Vous n’avez pas été débité.',
    openPage: 'Continuer vers la page de paiement',
    leaving: 'Un instant…',
    away: 'En attente de la banque',
    awayMeans:
      'Si vous avez payé, vous n’avez plus rien à faire : cette page l’indique dès que la banque le confirme.',
    awayGo: 'Si vous n’avez pas encore payé, vous pouvez reprendre où vous en étiez.',
    again: 'Réessayer sur la page de paiement',
    confirmingMeans:
      'Votre banque traite encore le paiement. Veuillez ne pas payer une seconde fois.',
  },

  transfer: {
    title: 'Payer par virement bancaire',
    intro:
      'Nous vous donnons les coordonnées d’un compte. Envoyez-y l’argent depuis l’application ou le site de votre banque.',
    start: 'Afficher les coordonnées du compte',
    starting: 'Un instant…',
    send: (amount) => `Envoyez exactement ${amount} sur ce compte.`,
    amount: 'Montant',
    bank: 'Banque',
    accountNumber: 'Numéro de compte',
    accountName: 'Titulaire du compte',
    routingNumber: 'Numéro d’acheminement',
    once: 'Ce compte ne sert qu’à ce paiement. Ne le réutilisez pas.',
    waiting: 'En attente de votre virement',
    opening: 'La banque ouvre un compte pour votre paiement',
    unavailable:
      'La banque ne donne pas de compte pour ce paiement en ce moment. Réessayez plus tard, ou payez d’une autre manière.',
    sentBack: (amount) =>
      `Un virement d’un autre montant est arrivé et la banque l’a renvoyé. Veuillez envoyer exactement ${amount}.`,
    returned: (amount) =>
      `Vous avez envoyé un autre montant : il vous a été renvoyé. Veuillez envoyer exactement ${amount}.`,
  },

  crypto: {
    title: 'Payer en crypto',
    intro: 'Choisissez la monnaie et le réseau que vous voulez utiliser.',
    lowestFirst: 'Les réseaux aux frais les plus bas viennent en premier.',
    rate: (token, amount) => `1 ${token} = ${amount}`,
    until: (rate, time) => `${rate}. Ce taux est garanti jusqu’à ${time}.`,
    more: 'Autres monnaies et réseaux',
    coinOn: (token) => `${token} sur`,
    testNetworks: 'Réseaux de test, dont les monnaies n’ont aucune valeur',
    send: (amount, token, network) => `Envoyez exactement ${amount} ${token} sur ${network}.`,
    only: (token, network) =>
      `Envoyez uniquement des ${token}, et uniquement sur ${network}. Tout autre envoi peut être perdu définitivement.`,
    amount: 'Montant',
    network: 'Réseau',
    address: 'Adresse',
    qr: 'Code QR de l’adresse',
    scan: 'Scannez l’adresse avec votre portefeuille, et saisissez le montant',
    open: 'Ouvrir dans le portefeuille',
    openMeans:
      'Votre portefeuille remplit la monnaie, le réseau et le montant. Vérifiez-les avant l’envoi. Si rien ne s’ouvre, copiez l’adresse.',
    waiting: 'En attente de votre paiement',
    seen: (amount) => `Nous avons vu votre paiement de ${amount}.`,
    confirming:
      'Le réseau est en train de le confirmer, ce qui prend de quelques secondes à quelques minutes.',
    nothingToDo: 'Vous n’avez plus rien à faire et pouvez fermer cette page.',
    restLater: (rest) => `Le solde de ${rest} peut être payé ici.`,
    confirmingNow: 'En attente des confirmations',
    other: 'Utiliser une autre monnaie ou un autre réseau',
    starting: 'Un instant…',
  },

  done: {
    completed: 'Paiement effectué',
    completedMeans: (amount, business) => `Vous avez payé ${amount} à ${business}. Merci !`,
    failed: 'Échec du paiement',
    failedMeans: (business) =>
      `Ce paiement n’a pas abouti. Revenez chez ${business} pour réessayer.`,
    expired: 'Le délai est écoulé',
    expiredMeans: (business) =>
      `N’envoyez pas d’argent à un compte ou à une adresse affichés ici. Demandez à ${business} un nouveau paiement.`,
    canceled: 'Paiement annulé',
    canceledMeans: (business) =>
      `Ce paiement a été annulé. Plus rien ne peut être payé ici à ${business}.`,
    amount: 'Montant',
    received: 'Reçu',
    surplus: 'Trop-perçu',
    date: 'Date',
    paidBy: 'Payé par',
    surplusMeans: (surplus, business) =>
      `Vous avez envoyé ${surplus} de plus que le montant dû. Contactez ${business} pour le récupérer, en indiquant la référence ci-dessus.`,
    keptMeans: (received, business) =>
      `Nous avons bien reçu ${received} de votre part. Contactez ${business} à ce sujet, en indiquant la référence ci-dessus.`,
    lateMeans: (business) =>
      `Votre argent est arrivé après la fin du délai. Contactez ${business} à ce sujet, en indiquant la référence ci-dessus.`,
    returnTo: (business) => `Revenir chez ${business}`,
    takenBack: 'Vous y serez ramené dans 5 secondes.',
    close: 'Vous pouvez maintenant fermer cette page.',
  },

  test: {
    title: 'Mode test',
    cards: 'Cartes de test. Toute date d’expiration future et tout code de sécurité conviennent.',
    use: 'Utiliser',
    useThe: (number) => `Utiliser la carte de test ${number}`,
    numbers: [
      { number: '4242 4242 4242 4242', means: 'Réussit' },
      { number: '4000 0000 0000 0002', means: 'Est refusée' },
      { number: '4000 0027 6000 3184', means: 'Vous demande de confirmer' },
      { number: '4000 0000 0000 0259', means: 'Répond tard' },
    ],
    simulate: 'Provoquer quelque chose pour ce paiement :',
    outcomes: {
      completed: 'Payer en totalité',
      underpaid: 'Payer trop peu',
      overpaid: 'Payer trop',
      failed: 'Échouer',
      expired: 'Laisser passer le délai',
    },
  },

  said: {
    pending: 'La page de paiement a changé.',
    received: (received, due) => `Nous avons reçu ${received}. Reste à payer : ${due}.`,
    form: 'Votre carte n’a pas été débitée. Veuillez vérifier la page.',
  },

  collection: {
    amount: 'Montant',
    amountToPay: 'Montant à payer',
    amountIn: (currency) => `Montant en ${currency}`,
    between: (min, max) => `De ${min} à ${max}`,
    atLeast: (min) => `Au moins ${min}`,
    atMost: (max) => `Au plus ${max}`,
    email: 'Adresse email',
    optional: 'facultatif',
    emailHint: (business) => `Pour que ${business} sache qui a payé.`,
    proceed: 'Continuer',
    proceeding: 'Un instant…',
    full: 'Tout est déjà payé',
    fullMeans: (business) =>
      `Tout ce qui était demandé ici a été payé. Contactez ${business} si vous souhaitez tout de même payer.`,
    busy: 'Quelqu’un est en train de payer',
    busyMeans:
      'Personne d’autre ne peut payer avant la fin de ce paiement. Vous n’avez pas été débité. Veuillez réessayer dans quelques minutes.',
    again: 'Réessayer',
    ended: 'Cette collecte est terminée',
    endedMeans: (business) =>
      `Les paiements ne sont plus acceptés ici. Contactez ${business} si vous souhaitez tout de même payer.`,
    twofold: (large, small) =>
      `Ce montant peut se lire ${large} ou ${small}. Saisissez-le avec deux décimales et sans séparateur de milliers.`,
    errors: {
      amount_missing: 'Saisissez le montant que vous voulez payer, par exemple 5000 ou 49,50.',
      amount_too_small: 'Ce montant est trop petit. Saisissez-en un plus grand.',
      amount_too_large: 'Ce montant est trop grand. Saisissez-en un plus petit.',
      invalid_email: 'Vérifiez l’adresse email. Elle doit ressembler à nom@exemple.com.',
      full: 'Tout vient d’être payé : plus rien ne peut être payé ici.',
    },
    error: 'Quelque chose ne va pas. Veuillez vérifier votre saisie.',
  },

  messages: {
    not_found: {
      title: 'Cette page est introuvable',
      text: 'Vérifiez que le lien est complet. S’il ne fonctionne toujours pas, demandez-en un nouveau à l’entreprise qui vous l’a envoyé.',
    },
    too_many_tries: {
      title: 'Trop d’essais',
      text: 'Veuillez attendre quelques minutes, puis réessayer. Cet essai n’a donné lieu à aucun débit.',
    },
    out_of_date: {
      title: 'Cette page n’était plus à jour',
      text: 'Quelque chose avait changé depuis que vous l’aviez ouverte : rien n’a donc été fait. Veuillez revenir et réessayer.',
    },
    error: {
      title: 'Un problème est survenu',
      text: 'C’est notre faute, pas la vôtre. Avant de payer à nouveau, ouvrez la page de paiement et vérifiez si le paiement a abouti.',
    },
  },
  receipt: {
    hello: 'Bonjour,',
    paid: {
      subject: (business, amount) => `Votre paiement à ${business} : ${amount}`,
      means: (business, amount) => `${business} a bien reçu votre paiement de ${amount}. Merci !`,
      by: (method) => `Payé par : ${method}`,
    },
    refunded: {
      subject: (business, amount) => `Votre remboursement par ${business} : ${amount}`,
      means: (business, amount) => `${business} vous a remboursé ${amount} de votre paiement.`,
      by: (method) => `Remboursé par : ${method}`,
    },
    bankMayTake: 'Il faut parfois quelques jours pour que votre banque l’affiche.',
    what: (description) => `Objet : ${description}`,
    line: (what, amount) => `${what} : ${amount}`,
    date: (at) => `Date : ${at}`,
    reference: (reference) => `Référence : ${reference}`,
    see: 'Le paiement est affiché ici :',
    attached: 'Votre reçu est joint au format PDF.',
    notAttached: 'Le PDF de votre reçu n’a pas pu être créé et n’est donc pas joint.',
    title: 'Reçu',
    sum: 'Payé',
    about: 'Objet',
    refundedSoFar: 'Remboursé',
    link: 'Reçu (PDF)',
    page: (page, pages) => `Page ${page} sur ${pages}`,
    or: 'ou',
    terms: 'Conditions générales :',
    test: '(Mode test : aucun argent réel n’a circulé, et ce message n’est pas envoyé.)',
  },
  retry: 'Rouvrir la page',
}
