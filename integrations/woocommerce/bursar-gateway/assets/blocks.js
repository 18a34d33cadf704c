/* The payment method in the blocks checkout: a title and a sentence; the payment itself is made on the hosted page. */
;(({ wcBlocksRegistry, wcSettings }, { element, htmlEntities }) => {
  const { title, description, supports } = wcSettings.getSetting('bursar_data', {})
  const label = htmlEntities.decodeEntities(title || 'Bursar')
  const content = element.createElement('div', null, htmlEntities.decodeEntities(description || ''))
  wcBlocksRegistry.registerPaymentMethod({
    name: 'bursar',
    label,
    ariaLabel: label,
    content,
    edit: content,
    canMakePayment: () => true,
    supports: { features: supports || ['products'] },
  })
})(window.wc, window.wp)
