import { type Route, routesOf } from '../../core/route.ts'
import { getBusiness, updateBusiness } from './profiles.ts'
import { BusinessIn, BusinessRecord } from './schema.ts'

const route = routesOf('Business')

export const profileRoutes: Route[] = [
  route.get('/business', {
    id: 'getBusiness',
    summary: 'Get your business',
    description: 'Whom the key speaks for, and how payers know it. Test and live mode have a profile each.',
    schema: { data: BusinessRecord },
    message: 'Business',
    read: (ctx) => getBusiness(ctx),
  }),
  route.put('/business', {
    id: 'updateBusiness',
    summary: 'Change your business',
    description:
      'Fields that are left out stay as they are. The hosted pages, mails and PDFs of the key’s mode show the name from now on.',
    example: { name: 'Ada’s Bakery', locale: 'en-NG', time_zone: 'Africa/Lagos' },
    schema: { body: BusinessIn, data: BusinessRecord },
    message: 'Business changed',
    run: (work, { body }) => updateBusiness(work, body),
  }),
]
