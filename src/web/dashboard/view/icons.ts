/**
 * The drawings of the dashboard: strokes on a grid of 24, in the colour of the text beside them. A
 * page holds those that it shows.
 */
import { type Html, raw } from '../../../lib/html.ts'

const drawing = (shapes: string, size = 20): Html =>
  raw(
    `<svg class="icon" width="${size}" height="${size}" viewBox="0 0 24 24" aria-hidden="true">${shapes}</svg>`,
  )

export const icons = {
  menu: drawing('<path d="M4 7h16M4 12h16M4 17h16"/>'),
  close: drawing('<path d="m6 6 12 12M18 6 6 18"/>'),
  next: drawing('<path d="m9 6 6 6-6 6"/>', 16),
  unfold: drawing('<path d="m8 10 4 4 4-4"/>', 16),
  warning: drawing('<path d="M12 4 2.8 20h18.4z"/><path d="M12 10v4.5M12 17.4v.1"/>'),
  info: drawing('<circle cx="12" cy="12" r="9"/><path d="M12 11v5M12 7.9v.1"/>'),
  check: drawing('<path d="m5 12.5 4.5 4.5L19 7.5"/>'),
  search: drawing('<circle cx="11" cy="11" r="6.5"/><path d="m16 16 4.5 4.5"/>', 18),
  plus: drawing('<path d="M12 5v14M5 12h14"/>', 18),
  file: drawing('<path d="M12 4v11m0 0 4-4m-4 4-4-4M5 20h14"/>', 18),
}

/** What stands before a group of the menu. */
export const groupIcons = {
  home: drawing('<path d="m4 11 8-7 8 7v9h-5v-6H9v6H4z"/>', 18),
  in: drawing('<path d="M17 7 7 17m0-7v7h7"/><circle cx="12" cy="12" r="9.5"/>', 18),
  out: drawing('<path d="M7 17 17 7m-7 0h7v7"/><circle cx="12" cy="12" r="9.5"/>', 18),
  sell: drawing('<path d="M6 3h12v18l-3-2-3 2-3-2-3 2zM9.5 8.5h5M9.5 12.5h5"/>', 18),
  books: drawing('<path d="M4 20V10m5.5 10V4M15 20v-7m5 7V8"/>', 18),
  developers: drawing('<path d="m8 7-5 5 5 5m8-10 5 5-5 5"/>', 18),
  settings: drawing(
    '<path d="M3 7h7m6 0h5M3 17h5m6 0h7"/><circle cx="13" cy="7" r="2.75"/><circle cx="11" cy="17" r="2.75"/>',
    18,
  ),
}
