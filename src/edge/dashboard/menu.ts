/**
 * The menu: each page with its path below `/dashboard/{business}/{mode}`. A page that needs a right is shown to who has it.
 */
import { en } from './view/strings.ts'

export type MenuItem = { path: string; title: string; needs?: string }

export const menu: readonly { title: string | null; items: readonly MenuItem[] }[] = [
  { title: null, items: [{ path: '', title: en.home }] },
]
