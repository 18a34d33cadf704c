export type BursarEvent = {
  id: string
  type: string
  payload: { reference?: string; amount?: number; currency?: string }
}

export async function handle({ type, payload }: BursarEvent): Promise<void> {
  switch (type) {
    case 'payment.completed':
      // Compare amount and currency with what you sell before you hand it out.
      console.log(type, payload.reference, payload.amount, payload.currency)
      break
    default:
      console.log(type)
  }
}
