import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'wouter'

/**
 * Filters of a list, in the address: a link, a reload and the way back keep them. What stands there besides stays.
 *
 * @param initial what is not narrowed, by the names in the address. It stays the same object, and is left out of the address.
 */
export function useAddressFilter<Filter extends Readonly<Record<string, string>>>(
  initial: Filter,
): [Filter, (changed: Partial<Filter>) => void] {
  const [search, setSearch] = useSearchParams()
  const filter = useMemo(() => {
    const read = Object.keys(initial).map((name) => [name, search.get(name) ?? initial[name]])
    return Object.fromEntries(read) as Filter // it has just these names
  }, [initial, search])
  const change = useCallback(
    (changed: Partial<Filter>) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before)
          for (const name of Object.keys(changed)) {
            const value = changed[name] ?? ''
            if (value === initial[name]) next.delete(name)
            else next.set(name, value)
          }
          return next
        },
        // a letter more is no step back
        { replace: true },
      ),
    [initial, setSearch],
  )
  return [filter, change]
}
