import { csvExport } from '../../books/profiles/profiles.ts'
import { named, routesOf } from '../../core/route.ts'
import { Page } from '../../lib/schema.ts'
import { payingCodes } from '../../platform/destinations/destinations.ts'
import { change, create, get, list, prepareChange, prepareNew, remove } from './beneficiaries.ts'
import { beneficiaryRefusals } from './refusals.ts'
import * as schemas from './schema.ts'

const route = routesOf('Payouts', beneficiaryRefusals)

export const beneficiaryRoutes = named({
  createBeneficiary: route.post('/beneficiaries', {
    scope: 'manage',
    personScope: 'payees',
    summary: 'Save a beneficiary',
    description:
      'Where you pay to, with the holder’s name as the bank knows it. Payouts can name it by its id once it has cooled off (`GET /limits`).',
    status: 201,
    example: {
      label: 'Okafor Supplies',
      method: 'bank_transfer',
      destination: { bank_code: '058', account_number: '0123456789' },
    },
    schema: { body: schemas.BeneficiaryIn, data: schemas.BeneficiaryRecord },
    refuses: [...payingCodes, 'beneficiaries_not_by_payer'],
    message: 'Beneficiary saved',
    prepare: (ctx, { body }) => prepareNew(ctx, body),
    run: create,
  }),
  listBeneficiaries: route.get('/beneficiaries', {
    scope: 'read',
    summary: 'List beneficiaries',
    description: 'Newest first.',
    schema: { query: schemas.BeneficiaryQuery, data: Page(schemas.BeneficiaryRecord) },
    message: 'Beneficiaries',
    read: (ctx, { query }) => list(ctx, query),
  }),
  exportBeneficiaries: route.get(
    '/beneficiaries/export',
    csvExport('beneficiaries', {
      query: schemas.BeneficiaryQuery,
      columns: schemas.exported,
      list,
    }),
  ),
  getBeneficiary: route.get('/beneficiaries/{id}', {
    scope: 'read',
    summary: 'Get a beneficiary',
    description: 'Not one that was deleted.',
    schema: { params: schemas.BeneficiaryParams, data: schemas.BeneficiaryRecord },
    message: 'Beneficiary',
    read: (ctx, { params }) => get(ctx, params.id),
  }),
  updateBeneficiary: route.patch('/beneficiaries/{id}', {
    scope: 'manage',
    personScope: 'payees',
    summary: 'Change a beneficiary',
    description:
      'Fields that are left out stay as they are. Give a destination as a whole: its holder is looked up. If it is another account, the beneficiary cools off again, and an account of your own must be confirmed again.',
    example: { label: 'Okafor Supplies Ltd' },
    schema: {
      params: schemas.BeneficiaryParams,
      body: schemas.BeneficiaryUpdate,
      data: schemas.BeneficiaryRecord,
    },
    refuses: [...payingCodes, 'beneficiaries_not_by_payer'],
    message: 'Beneficiary changed',
    prepare: (ctx, { params, body }) => prepareChange(ctx, params.id, body),
    run: change,
  }),
  deleteBeneficiary: route.delete('/beneficiaries/{id}', {
    scope: 'manage',
    personScope: 'payees',
    summary: 'Delete a beneficiary',
    description:
      'It reads as not found from now on. Payouts that were made for it stay as they are.',
    schema: { params: schemas.BeneficiaryParams, data: schemas.BeneficiaryRecord },
    message: 'Beneficiary deleted',
    run: (work, { params }) => remove(work, params.id),
  }),
})
