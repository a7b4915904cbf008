import { Bookmark, X } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-aria-components'
import { Button } from '../../components/buttons/button.tsx'
import { IconButton } from '../../components/buttons/icon-button.tsx'
import { Dialog } from '../../components/dialogs/dialog.tsx'
import { DialogActions } from '../../components/dialogs/dialog-actions.tsx'
import { SubmitForm } from '../../components/fields/submit-form.tsx'
import { TextField } from '../../components/fields/text-field.tsx'
import { showToast } from '../../components/states/toasts.tsx'
import { type ActivityFilter, noActivityFilter } from './activity-filter.ts'
import { usualViews, useSavedViews } from './saved-views.ts'

/** What {@link ActivityViews} take. */
export interface ActivityViewsProps {
  readonly filter: ActivityFilter
}

/** Filters with a name: the usual ones, and those that were saved in this browser. */
export function ActivityViews({ filter }: ActivityViewsProps) {
  const saved = useSavedViews()
  const search = toSearch(filter)
  const isCurrent = (view: { readonly search: string }) => toSearch(fromSearch(view.search)) === search
  const isKnown = [...usualViews, ...saved.views].some(isCurrent)
  return (
    <nav className="activity-views" aria-label="Views">
      {usualViews.map((view) => (
        <ViewLink key={view.name} view={view} isCurrent={isCurrent(view)} />
      ))}
      {saved.views.map((view) => (
        <ViewLink
          key={view.name}
          view={view}
          isCurrent={isCurrent(view)}
          onRemove={() => {
            saved.remove(view.name)
            showToast({ title: `View ${view.name} deleted` })
          }}
        />
      ))}
      {!isKnown && (
        <Dialog
          title="Save this view"
          size="small"
          trigger={
            <Button variant="quiet" icon={<Bookmark aria-hidden />}>
              Save view
            </Button>
          }
        >
          {(close) => (
            <SaveForm
              onSave={(name) => {
                saved.save({ name, search })
                showToast({ title: `View ${name} saved` })
                close()
              }}
            />
          )}
        </Dialog>
      )}
    </nav>
  )
}

interface ViewLinkProps {
  readonly view: { readonly name: string; readonly search: string }
  readonly isCurrent: boolean
  readonly onRemove?: () => void
}

function ViewLink({ view: { name, search }, isCurrent, onRemove }: ViewLinkProps) {
  return (
    <span className="activity-view foreign" {...(isCurrent && { 'data-current': true })}>
      <Link
        href={search === '' ? '/runs' : `/runs?${search}`}
        {...(isCurrent && { 'aria-current': 'true' as const })}
      >
        {name}
      </Link>
      {onRemove && <IconButton label={`Delete view ${name}`} icon={<X aria-hidden />} onPress={onRemove} />}
    </span>
  )
}

function SaveForm({ onSave }: { readonly onSave: (name: string) => void }) {
  const [name, setName] = useState('')
  const text = name.trim()
  const isUsual = usualViews.some((view) => view.name === text)
  return (
    <SubmitForm onSubmit={() => text !== '' && !isUsual && onSave(text)}>
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        maxLength={60}
        isRequired
        description="Saved in this browser: filters and order of the list."
        {...(isUsual && { errorMessage: 'Choose another name: this view is built in.' })}
      />
      <DialogActions>
        <Button type="submit" variant="primary" isDisabled={text === '' || isUsual}>
          Save view
        </Button>
      </DialogActions>
    </SubmitForm>
  )
}

const names = Object.keys(noActivityFilter) as readonly (keyof ActivityFilter)[] // the keys of the object

function toSearch(filter: ActivityFilter): string {
  const changed = names.filter((name) => filter[name] !== noActivityFilter[name])
  return new URLSearchParams(changed.map((name) => [name, filter[name]])).toString()
}

function fromSearch(search: string): ActivityFilter {
  const params = new URLSearchParams(search)
  const read = names.map((name) => [name, params.get(name) ?? noActivityFilter[name]])
  return Object.fromEntries(read) as ActivityFilter // it has just these names
}
