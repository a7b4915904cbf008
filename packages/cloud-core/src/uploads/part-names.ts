/** What the `Content-Disposition` of a part says. */
export interface PartNames {
  /** Empty when there is none. */
  readonly name: string
  readonly fileName: string | undefined
}

const parameter = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/gsu

/**
 * Reads names as browsers and other clients write them: any character but quotes and line breaks stands for itself, and
 * those are percent-encoded (the WHATWG HTML standard) or behind a backslash. `filename*` (RFC 8187) wins where it can be
 * decoded.
 */
export function parsePartNames(disposition: string): PartNames {
  const found = new Map<string, string>()
  for (const [, name = '', quoted, token] of disposition.matchAll(parameter)) {
    found.set(name.toLowerCase(), quoted === undefined ? (token ?? '') : unescape(quoted))
  }
  return {
    name: found.get('name') ?? '',
    fileName: decodeExtended(found.get('filename*') ?? found.get(extendedName)) ?? found.get('filename'),
  }
}

/** Under this name a parser takes `filename*` for a name like any other. */
const extendedName = 'filename-extended'

/** Renames `filename*` in a header: the parser throws where its value cannot be decoded, which must not cost the file. */
export function renameExtended(disposition: string): string {
  return disposition.replaceAll(parameter, (found, name: string) =>
    name.toLowerCase() === 'filename*' ? found.replace(name, extendedName) : found,
  )
}

function unescape(quoted: string): string {
  return quoted
    .replaceAll('\\"', '"')
    .replaceAll('%22', '"')
    .replaceAll(/%0D/gi, '\r')
    .replaceAll(/%0A/gi, '\n')
}

function decodeExtended(value: string | undefined): string | undefined {
  const encoded = value === undefined ? undefined : /^utf-8'[^']*'(.*)$/is.exec(value)?.[1]
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}
