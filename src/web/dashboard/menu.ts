/**
 * The menu: each page with its path below `/dashboard/{business}/{mode}`. A page that needs a right
 * is shown to who has it.
 */
import { teamWords } from './people/team-words.ts'
import type { MenuGroup, MenuItem, Place } from './place.ts'
import { profileWords } from './profile-words.ts'
import { resources } from './resources.ts'
import { en } from './view/strings.ts'

/** Pages that are of no resource, below those of their group. */
const others: Partial<Record<keyof typeof en.groups, readonly MenuItem[]>> = {
  out: [
    { path: '/approvals', title: 'Approvals' },
    { path: '/limits', title: 'Limits' },
  ],
  books: [{ path: '/reports', title: en.reports }],
  developers: [
    { path: '/live-events', title: 'Live events' },
    { path: '/test-tools', title: 'Test tools', mode: 'test' },
  ],
  settings: [
    { path: '/profile', title: profileWords.title },
    { path: '/team', title: teamWords.title, right: 'team' },
    { path: '/test-data', title: 'Empty test data', right: 'empty' },
  ],
}

/** Returns the items of a group that the visitor may open in this mode. */
export const openItems = (
  { items }: MenuGroup,
  place: Pick<Place, 'mode' | 'can'>,
): readonly MenuItem[] =>
  items.filter(
    ({ right, mode = place.mode }) =>
      mode === place.mode && (right === undefined || place.can(right)),
  )

export const menu: readonly MenuGroup[] = [
  { title: null, icon: 'home', items: [{ path: '', title: en.home }] },
  ...(['in', 'out', 'sell', 'books', 'developers', 'settings'] as const).map((group) => ({
    title: en.groups[group],
    icon: group,
    items: [
      ...resources
        .filter((one) => one.group === group)
        .map(({ path, title, right }) => ({
          path: `/${path}`,
          title,
          ...(right === undefined ? {} : { right }),
        })),
      ...(others[group] ?? []),
    ],
  })),
]
