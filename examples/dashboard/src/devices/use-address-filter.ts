import { useSearchParams } from 'wouter'

/** A filter that the address holds, so that a link and the way back keep it. */
export interface AddressFilter {
  readonly id: string
  readonly device: string
  readonly status: string
  /** Empty, or `all`, takes it out. */
  readonly set: (name: 'id' | 'device' | 'status', value: string) => void
}

/** The filter of the lists of searches and of files. What it has not is empty. */
export function useAddressFilter(): AddressFilter {
  const [params, setParams] = useSearchParams()
  return {
    id: params.get('id') ?? '',
    device: params.get('device') ?? '',
    status: params.get('status') ?? '',
    set(name, value) {
      setParams(
        (before) => {
          const next = new URLSearchParams(before)
          if (value === '' || value === 'all') next.delete(name)
          else next.set(name, value)
          return next
        },
        { replace: true },
      )
    },
  }
}
