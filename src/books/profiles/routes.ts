import { named, routesOf } from '../../core/route.ts'
import { getBusiness, updateBusiness } from './profiles.ts'
import { BusinessIn, BusinessRecord } from './schema.ts'

const route = routesOf('Business')

export const profileRoutes = named({
  getBusiness: route.get('/business', {
    scope: 'read',
    summary: 'Get your business',
    description:
      'Whom the key speaks for, and how payers know it. Test and live mode have a profile each.',
    schema: { data: BusinessRecord },
    message: 'Business',
    read: (ctx) => getBusiness(ctx),
  }),
  updateBusiness: route.put('/business', {
    scope: 'manage',
    summary: 'Change your business',
    description:
      'Fields that are left out stay as they are; null clears one. The hosted pages, mails and PDFs of the key’s mode show it from now on; an invoice that is finalized keeps who the seller was.',
    example: {
      name: 'Ada’s Bakery',
      locale: 'en-NG',
      time_zone: 'Africa/Lagos',
      color: '#0a5c36',
      support_email: 'help@example.com',
      support_phone: '+2348012345678',
      statement_name: 'ADAS BAKERY',
      address: {
        line1: '12 Allen Avenue',
        city: 'Ikeja',
        state: 'Lagos',
        postal_code: '100271',
        country: 'ng',
      },
      tax_id: '12345678-0001',
      registration_number: 'RC 1234567',
      terms_url: 'https://example.com/terms',
      logo: 'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgAQMAAABJtOi3AAAABlBMVEUKXDb///8s4TkMAAAAQklEQVR42mNgwAbYHwAJ+z9Aov4fkPj/n4GB8f//Bgbm//8PMLD///8AieD///8DbgJNMdgAsFFgQyHGgy0CW4kJAL4sOQdCu/4XAAAAAElFTkSuQmCC',
    },
    schema: { body: BusinessIn, data: BusinessRecord },
    message: 'Business changed',
    run: (work, { body }) => updateBusiness(work, body),
  }),
})
