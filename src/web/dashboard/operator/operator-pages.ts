/**
 * The operator's part, for who looks after the installation: `/dashboard/operator`. It is of no
 * business; its pages are made as those of businesses are. A resource is a declaration and a line
 * in `operatorResources`; any other page is a `BusinessPage` in `operatorPages`, and a line in
 * `operatorMenu`.
 */
import { actionPages } from '../acts.ts'
import { detailPage } from '../details.ts'
import { listPages } from '../lists.ts'
import type { BusinessPage, MenuGroup } from '../place.ts'
import type { Resource } from '../resource.ts'
import { auditLog } from './audit-log.ts'
import { businesses } from './businesses.ts'
import { disputes } from './disputes.ts'
import { documents } from './documents.ts'
import { earningsPages } from './earnings.ts'
import { healthPage } from './health.ts'
import { incidents } from './incidents.ts'
import { operatorKeys } from './keys.ts'
import { plans } from './plans.ts'
import { queuesPage } from './queues.ts'
import { railsPage } from './rails.ts'
import { reviews } from './reviews.ts'
import { verifications } from './verifications.ts'

const operatorResources: readonly Resource[] = [
  businesses,
  plans,
  operatorKeys,
  incidents,
  disputes,
  documents,
  reviews,
  verifications,
  auditLog,
]

const itemOf = ({ path, title }: Resource) => ({ path: `/${path}`, title })

/** The menu: each page with its path below `/dashboard/operator`. */
export const operatorMenu: readonly MenuGroup[] = [
  {
    title: 'Businesses and money',
    icon: 'books',
    items: [
      itemOf(businesses),
      itemOf(plans),
      { path: '/earnings', title: 'Earnings' },
      itemOf(operatorKeys),
    ],
  },
  {
    title: 'Installation',
    icon: 'settings',
    items: [
      { path: '/health', title: 'Health' },
      { path: '/rails', title: 'Rails' },
      itemOf(incidents),
      itemOf(disputes),
      itemOf(documents),
      itemOf(reviews),
      { path: '/queues', title: 'Queues' },
      itemOf(verifications),
      itemOf(auditLog),
    ],
  },
]

const home: BusinessPage = {
  method: 'GET',
  path: '',
  handler: async ({ base }) => ({ redirect: `${base}/${businesses.path}` }),
}

export const operatorPages: readonly BusinessPage[] = [
  home,
  ...earningsPages,
  healthPage,
  railsPage,
  queuesPage,
  ...operatorResources.flatMap((one) => [...listPages(one), detailPage(one), ...actionPages(one)]),
]
