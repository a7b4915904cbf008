// Looks for links that lead nowhere in the built site: to a page that is missing, to a part that a page does not have, or without
// an address.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const site = join(import.meta.dirname, 'dist')
const partsOfPages = new Map<string, ReadonlySet<string>>()

function partsOf(page: string): ReadonlySet<string> {
  const known = partsOfPages.get(page)
  if (known) return known
  const parts = new Set([...readFileSync(page, 'utf8').matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id))
  partsOfPages.set(page, parts)
  return parts
}

function isDead(page: string, link: string): boolean {
  if (/^[a-z]+:/.test(link)) return false
  const [path = '', part] = link.split('#')
  const target = path.startsWith('/') ? join(site, path) : resolve(site, dirname(page), path)
  const places = path === '' ? [join(site, page)] : [target, `${target}.html`, join(target, 'index.html')]
  const found = places.find((place) => /\.\w+$/.test(place) && existsSync(place))
  if (found === undefined) return true
  return (
    part !== undefined &&
    part !== '' &&
    found.endsWith('.html') &&
    !partsOf(found).has(decodeURIComponent(part))
  )
}

const dead = globSync('**/*.html', { cwd: site }).flatMap((page) => {
  const html = readFileSync(join(site, page), 'utf8')
  const links = new Set([...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, link = '']) => link))
  const empty = [...html.matchAll(/<a(?=[\s>])(?![^>]*\shref="[^"])[^>]*>([^<]*)/g)]
  return [
    ...[...links].filter((link) => isDead(page, link)).map((link) => `${page}: ${link} leads nowhere`),
    ...empty.map(([, text = '']) => `${page}: the link "${text}" has no address`),
  ]
})
for (const line of dead) console.error(line)
process.exitCode = dead.length === 0 ? 0 : 1
