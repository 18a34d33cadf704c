/** Colours as `#rrggbb`, and their contrast by WCAG 2.2. */

type Channels = [number, number, number]

const channelsOf = (color: string): Channels =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as Channels

const hexOf = (channels: Channels): string =>
  `#${channels.map((one) => Math.round(one).toString(16).padStart(2, '0')).join('')}`

function luminanceOf(color: string): number {
  const [r, g, b] = channelsOf(color).map((channel) => {
    const part = channel / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as Channels
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** Returns the contrast ratio, from 1 (equal) to 21 (black on white). Text needs 4.5. */
export function contrastOf(one: string, other: string): number {
  const [low, high] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b) as [
    number,
    number,
  ]
  return (high + 0.05) / (low + 0.05)
}

/** @param share of `other`, from 0 to 1 */
export function mix(color: string, other: string, share: number): string {
  const [from, to] = [channelsOf(color), channelsOf(other)]
  return hexOf(
    from.map((channel, i) => channel + ((to[i] as number) - channel) * share) as Channels,
  )
}

/** Returns black or white, whichever has more contrast with the colour: at least 4.58. */
export function inkOn(color: string): '#000000' | '#ffffff' {
  return contrastOf(color, '#ffffff') >= contrastOf(color, '#000000') ? '#ffffff' : '#000000'
}

/**
 * Returns the shade nearest to the colour with enough contrast to all backgrounds, which must be
 * all light or all dark.
 */
export function readableOn(
  backgrounds: readonly string[],
  color: string,
  contrast: number,
): string {
  const ink = inkOn(backgrounds[0] as string)
  for (let share = 0; share < 1; share += 0.02) {
    const shade = mix(color, ink, share)
    if (backgrounds.every((background) => contrastOf(shade, background) >= contrast)) return shade
  }
  return ink
}
