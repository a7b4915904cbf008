/**
 * Adds the license to addresses of the store's own origin, and takes it out of every other: a redirect that quotes it
 * does not carry it elsewhere.
 */
export function createLicense(store: URL, token: string | undefined): (url: URL) => URL {
  return (url) => {
    const asked = new URL(url)
    if (token === undefined || token === '') return asked
    if (asked.origin === store.origin) {
      asked.searchParams.set('license', token)
    } else if (asked.searchParams.getAll('license').includes(token)) {
      asked.searchParams.delete('license')
    }
    return asked
  }
}
