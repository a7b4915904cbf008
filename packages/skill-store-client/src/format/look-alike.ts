/** Letters of other scripts, and figures, that pass for Latin letters. */
const lookAlikes: Readonly<Record<string, string>> = {
  а: 'a', в: 'b', е: 'e', ѕ: 's', і: 'i', ј: 'j', к: 'k', м: 'm', н: 'h', о: 'o', р: 'p', с: 'c', т: 't', у: 'y', х: 'x',
  ԁ: 'd', ԛ: 'q', ԝ: 'w', һ: 'h', ӏ: 'i', α: 'a', β: 'b', ε: 'e', η: 'n', ι: 'i', κ: 'k', ν: 'v', ο: 'o', ρ: 'p', τ: 't',
  υ: 'u', χ: 'x', ı: 'i', 'ɡ': 'g', '0': 'o', '1': 'i', '3': 'e', '5': 's', l: 'i', '|': 'i',
} // prettier-ignore
/** Shorter names differ by a letter for good reasons. */
const shortestForMistake = 5

/** Whether two different names are easily taken for each other: they look the same, or differ by one slip. */
export function looksLike(name: string, other: string): boolean {
  const [a, b] = [fold(name), fold(other)]
  // the same name under another spelling is a replacement, and said elsewhere; `agent-1` and `agent-2` are a family
  if (a === b || a.replace(/\d+/g, '#') === b.replace(/\d+/g, '#')) return false
  const [shownA, shownB] = [toShape(a), toShape(b)]
  if (shownA === shownB) return true
  return Math.min(a.length, b.length) >= shortestForMistake && isOneSlip(a, b)
}

/** Whether a word mixes Latin letters with ones that pass for them. */
export function mixesScripts(name: string): boolean {
  return name
    .split(/[^\p{L}\p{M}]+/u)
    .some((word) => /\p{Script=Latin}/u.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word))
}

const fold = (name: string) => name.normalize('NFKC').toLowerCase()

function toShape(name: string): string {
  const letters = Array.from(
    name.normalize('NFKD').replace(/[\p{M}\s._-]/gu, ''),
    (letter) => lookAlikes[letter] ?? letter,
  )
  return letters.join('').replaceAll('rn', 'm').replaceAll('vv', 'w')
}

/** One letter more, less or other, or two neighbours in each other's place. */
function isOneSlip(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  let same = 0
  while (same < short.length && short[same] === long[same]) same += 1
  const rest = (text: string, skipped: number) => text.slice(same + skipped)
  if (long.length === short.length + 1) return rest(short, 0) === rest(long, 1)
  if (long.length !== short.length) return false
  const isSwapped = short[same] === long[same + 1] && short[same + 1] === long[same]
  return rest(short, 1) === rest(long, 1) || (isSwapped && rest(short, 2) === rest(long, 2))
}
