import { useIsLimited } from '../../api/server-facts.ts'
import { SearchField } from '../fields/search-field.tsx'

/** Properties of {@link UserFilter}. */
interface UserFilterProps {
  /** Empty for all users. */
  readonly value: string
  readonly onChange: (userId: string) => void
}

/** Narrows a list to what belongs to one user, by the id. People who see only what is their own need none. */
export function UserFilter({ value, onChange }: UserFilterProps) {
  if (useIsLimited()) return null
  return <SearchField label="User" placeholder="User id" maxLength={200} value={value} onChange={onChange} />
}
