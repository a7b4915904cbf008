/** Media types of pictures that browsers show. SVG is not one of them: it can hold scripts, and shows as text. */
const pictures: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  bmp: 'image/bmp',
  ico: 'image/x-icon',
}

const texts = new Set(
  `txt md markdown rst log csv tsv json jsonl ndjson xml html htm svg css scss js mjs cjs ts tsx jsx py rb go rs c h cpp hpp cc
  java kt swift cs php pl lua r sh bash zsh fish ps1 bat cmd sql yaml yml toml ini cfg conf env properties tex bib srt vtt ics
  vcf eml diff patch gitignore dockerfile makefile`.split(/\s+/),
)

/** How a file can be previewed. */
export type PreviewKind = { readonly kind: 'image'; readonly mediaType: string } | { readonly kind: 'text' }

/** How a file of this name can be previewed; undefined for one that has to be opened by a program. */
export function previewKind(fileName: string): PreviewKind | undefined {
  const name = fileName.split(/[/\\]/).at(-1)?.toLowerCase() ?? ''
  const ending = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : name
  if (Object.hasOwn(pictures, ending)) return { kind: 'image', mediaType: pictures[ending] ?? '' }
  return texts.has(ending) ? { kind: 'text' } : undefined
}
