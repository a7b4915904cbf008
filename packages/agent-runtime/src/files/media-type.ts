/** Other names that programs use for one type. */
const aliases: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'audio/mp3': 'audio/mpeg',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/x-m4a': 'audio/mp4',
  'application/x-pdf': 'application/pdf',
}

/** Types of texts by the ending of a name. */
const textTypes: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  htm: 'text/html',
  html: 'text/html',
  json: 'application/json',
  md: 'text/markdown',
  svg: 'image/svg+xml',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
}

/** Types that browsers give to texts: to CSV on Windows with Excel, and to TypeScript. */
const wrongForText: ReadonlySet<string> = new Set([
  'application/vnd.ms-excel',
  'video/mp2t',
  'video/vnd.dlna.mpeg-tts',
])

/** Programs and data, as browsers name them. */
const textSubtypes = new Set(
  (
    'json xml yaml x-yaml toml sql javascript x-javascript ecmascript typescript x-typescript x-ndjson jsonl x-sh x-shellscript x-csh ' +
    'x-php x-httpd-php x-perl x-python x-python-code x-ruby x-tex x-latex x-csv csv graphql x-powershell x-bat x-subrip'
  ).split(' '),
)

const anyBytes = 'application/octet-stream'
const mediaType = /^[a-z0-9][\w!#$&^.+-]*\/[a-z0-9][\w!#$&^.+-]*$/

/**
 * The media type of a file. A type that somebody gave counts, unless it is not one or says nothing; then the bytes tell it, and for text
 * the ending of the name.
 */
export async function toMediaType(
  given: string | undefined,
  bytes: Uint8Array,
  name: string,
): Promise<string> {
  const type = given?.split(';', 1)[0]?.trim().toLowerCase()
  const isWrong = type !== undefined && wrongForText.has(type) && isText(bytes)
  if (type !== undefined && type !== anyBytes && mediaType.test(type) && !isWrong)
    return aliases[type] ?? type
  const { detectMediaType } = await import('@ai-sdk/provider-utils')
  const detected = detectMediaType({ data: bytes })
  // a text may begin like a picture: "BM" is a bitmap
  if (detected === 'application/pdf' || !isText(bytes)) return detected ?? anyBytes
  const ending = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  return textTypes[ending] ?? 'text/plain'
}

/** Whether files of a type are text, which every model can read. */
export function isTextType(mediaType: string): boolean {
  const [kind, subtype = ''] = mediaType.split('/', 2)
  if (kind === 'text' || /\+(?:json|xml|yaml)$/.test(subtype)) return true
  return kind === 'application' && textSubtypes.has(subtype)
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true }) // the end may be cut
    return true
  } catch {
    return false
  }
}
