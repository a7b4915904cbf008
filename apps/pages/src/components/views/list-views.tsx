import { Bookmark, X } from 'lucide-react'
import { useState } from 'react'
import { Link, Toolbar } from 'react-aria-components'
import { Button } from '../../components/buttons/button.tsx'
import { IconButton } from '../../components/buttons/icon-button.tsx'
import { Dialog } from '../../components/dialogs/dialog.tsx'
import { DialogActions } from '../dialogs/dialog-actions.tsx'
import { SubmitForm } from '../../components/fields/submit-form.tsx'
import { TextField } from '../../components/fields/text-field.tsx'
import { showToast } from '../../components/states/toasts.tsx'
import './list-views.css'
import type { SavedView, SavedViews } from './saved-views.ts'

type Filter = Readonly<Record<string, string>>

/** What {@link ListViews} take. */
interface ListViewsProps<Names extends Filter> {
  /** Path of the list. */
  readonly path: string
  /** Views that everybody has. @default none */
  readonly usual?: readonly SavedView[]
  readonly saved: SavedViews
  /** A filter that narrows nothing, by the names that it has in the address. */
  readonly noFilter: Names
  readonly filter: Names
}

const noViews: readonly SavedView[] = []

/** Filters with a name: the usual ones, and those that were saved in this browser. */
export function ListViews<Names extends Filter>({
  path,
  usual = noViews,
  saved,
  noFilter,
  filter,
}: ListViewsProps<Names>) {
  const views = saved.useViews()
  const search = toSearch(filter, noFilter)
  const isCurrent = (view: { readonly search: string }) =>
    toSearch(fromSearch(view.search, noFilter), noFilter) === search
  const isKnown = [...usual, ...views].some(isCurrent)
  if (usual.length + views.length === 0 && search === '') return null
  return (
    <nav aria-label="Views">
      {/* one stop of Tab; arrow keys choose among the views */}
      <Toolbar className="list-views" aria-label="Views">
        {usual.map((view) => (
          <ViewLink key={view.name} path={path} view={view} isCurrent={isCurrent(view)} />
        ))}
        {views.map((view) => (
          <ViewLink
            key={view.name}
            path={path}
            view={view}
            isCurrent={isCurrent(view)}
            onRemove={() => {
              saved.remove(view.name)
              showToast({ title: `View ${view.name} deleted` })
            }}
          />
        ))}
        {!isKnown && search !== '' && (
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
                usual={usual}
                onSave={(name) => {
                  saved.save({ name, search })
                  showToast({ title: `View ${name} saved` })
                  close()
                }}
              />
            )}
          </Dialog>
        )}
      </Toolbar>
    </nav>
  )
}

interface ViewLinkProps {
  readonly path: string
  readonly view: { readonly name: string; readonly search: string }
  readonly isCurrent: boolean
  readonly onRemove?: () => void
}

function ViewLink({ path, view: { name, search }, isCurrent, onRemove }: ViewLinkProps) {
  return (
    <span className="list-view foreign" {...(isCurrent && { 'data-current': true })}>
      <Link
        href={search === '' ? path : `${path}?${search}`}
        {...(isCurrent && { 'aria-current': 'true' as const })}
      >
        {name}
      </Link>
      {onRemove && <IconButton label={`Delete view ${name}`} icon={<X aria-hidden />} onPress={onRemove} />}
    </span>
  )
}

interface SaveFormProps {
  readonly usual: readonly SavedView[]
  readonly onSave: (name: string) => void
}

function SaveForm({ usual, onSave }: SaveFormProps) {
  const [name, setName] = useState('')
  const text = name.trim()
  const isUsual = usual.some((view) => view.name === text)
  return (
    <SubmitForm onSubmit={() => text !== '' && !isUsual && onSave(text)}>
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        maxLength={60}
        isRequired
        description="Saved in this browser: filters and order of the list."
        {...(isUsual && { errorMessage: 'This name belongs to a built-in view. Choose another name.' })}
      />
      <DialogActions>
        <Button type="submit" variant="primary" isDisabled={text === '' || isUsual}>
          Save view
        </Button>
      </DialogActions>
    </SubmitForm>
  )
}

function toSearch(filter: Filter, noFilter: Filter): string {
  const changed = Object.entries(filter).filter(([name, value]) => value !== noFilter[name])
  return new URLSearchParams(changed).toString()
}

function fromSearch(search: string, noFilter: Filter): Filter {
  const params = new URLSearchParams(search)
  return Object.fromEntries(Object.entries(noFilter).map(([name, none]) => [name, params.get(name) ?? none]))
}
