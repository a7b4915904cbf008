import type { FileKind } from './search-selection.ts'

const extensions: Readonly<Record<string, string>> = {
  document:
    'pdf doc docx docm dot dotx odt ott rtf txt text md markdown rst tex log xls xlsx xlsm xlsb xlt xltx ods ots csv tsv ' +
    'ppt pptx pptm pps ppsx odp otp pages numbers key epub mobi azw azw3 djvu ps xps oxps eml msg mbox ics vcf html htm ' +
    'mhtml wpd wps one vsd vsdx pub odg',
  image:
    'jpg jpeg jpe jfif png gif bmp tif tiff webp heic heif avif jxl svg svgz ico psd psb ai eps xcf kra raw cr2 cr3 nef nrw ' +
    'arw dng orf rw2 raf pef srw tga pcx ppm pgm pbm exr hdr',
  audio:
    'mp3 m4a m4b aac flac wav wave ogg oga opus wma aif aiff aifc alac ape amr mid midi mka ac3 dts caf au',
  video: 'mp4 m4v mov qt avi mkv webm wmv flv f4v mpg mpeg mpe mts m2ts 3gp 3g2 ogv vob asf rm rmvb divx mxf',
  archive:
    'zip zipx tar gz tgz bz2 tbz tbz2 xz txz 7z rar zst tzst lz lz4 lzma z cab iso dmg img jar war ear deb rpm apk ipa msi ' +
    'pkg appimage cpio arj ace',
  code:
    'js mjs cjs jsx ts cts tsx json jsonc json5 yaml yml toml ini cfg conf xml xsl xsd css scss sass less vue svelte ' +
    'astro py pyi pyw ipynb rb php java kt kts scala groovy gradle c h cc cpp cxx hpp hh hxx cs fs vb go rs swift m mm dart ' +
    'lua pl pm r jl ex exs erl hs clj cljs elm ml sql sh bash zsh fish ps1 psm1 bat cmd tf proto graphql gql cmake mk diff ' +
    'patch asm s wat sol zig nim',
}
const kindByExtension = new Map(
  Object.entries(extensions).flatMap(([kind, names]) =>
    names.split(' ').map((name) => [name, kind] as const),
  ),
)

/**
 * Returns the kind of a file by the last extension of its name. The cloud and devices use the same table.
 *
 * @example
 * fileKindOf('Invoice.PDF') // 'document'
 */
export function fileKindOf(name: string): FileKind {
  const at = name.lastIndexOf('.')
  return (at > 0 ? kindByExtension.get(name.slice(at + 1).toLowerCase()) : undefined) ?? 'other'
}
