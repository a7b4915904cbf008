/** How dates and times are written: the pages are English, and so are the words and names of days within their sentences. */
export const pageLocale: string = toPageLocale(navigator.language)

/**
 * The English of a reader: their own where it is their language, else the international one with the clock, of 12 or 24
 * hours, that they are used to. Numbers need no words: they are written and read in the reader's own way.
 *
 * @param language what the browser says it is. WebKitGTK passes on what the machine is set to, and `C` is no language.
 */
export function toPageLocale(language: string): string {
  if (!isLanguage(language)) return 'en-001-u-hc-h23'
  if (new Intl.Locale(language).language === 'en') return language
  const { hourCycle = 'h23' } = new Intl.DateTimeFormat(language, { hour: 'numeric' }).resolvedOptions()
  return `en-001-u-hc-${hourCycle}`
}

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0
  } catch {
    return false
  }
}
