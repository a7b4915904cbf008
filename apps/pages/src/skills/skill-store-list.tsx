import type { RegistryEntry } from '@homeward/contract/skill-store'
import { Store } from 'lucide-react'
import { usePlatformQuery, usePlatformMutation } from '../api/platform.ts'
import { Button } from '../components/buttons/button.tsx'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { ForeignLink } from '../components/text/foreign-link.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { Notice } from '../components/states/notice.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { SearchField } from '../components/fields/search-field.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { useAddressFilter } from '../components/use-address-filter.ts'
import { type OfferState, offerStateOf } from './skill-badge.tsx'
import './skills.css'
import type { StoreSkillPreview } from '@homeward/contract/agent-platform'
import { showToast } from '../components/states/toasts.tsx'
import { SkillOffer } from './skill-offer.tsx'

/** More are found by searching: a store may have ten thousand. */
const maxShown = 100

const noFilter = { text: '' }

/** What the configured store offers. What is looked for stands in the address. */
export function SkillStoreList() {
  const registry = usePlatformQuery('getStoreRegistry')
  const installed = usePlatformQuery('listSkills').data?.skills ?? []
  const [{ text }, change] = useAddressFilter(noFilter)
  return (
    <QueryView
      query={registry}
      isEmpty={({ registryUrl }) => registryUrl === null}
      empty={
        <EmptyState
          title="No store configured"
          icon={<Store aria-hidden />}
          action={<LinkButton href="/settings/advanced#store">Open the settings</LinkButton>}
        >
          Skills of a store appear here once its address is in the settings.
        </EmptyState>
      }
    >
      {({ skills, invalid = [], registryUrl, storeBase }) => {
        const found = skills.filter((entry) => holds(entry, text))
        return (
          <div className="stack">
            <p className="muted foreign">
              From{' '}
              <ForeignLink href={storeBase ?? registryUrl ?? undefined}>
                {storeBase ?? registryUrl}
              </ForeignLink>
            </p>
            {invalid.length > 0 && (
              <Notice tone="warn">
                {invalid.length} of its entries are invalid: {invalid[0]?.error}
              </Notice>
            )}
            <SearchField
              label="Search the store"
              value={text}
              onChange={(written) => change({ text: written })}
              maxLength={500}
            />
            <ul className="skill-list" aria-label="Skills of the store">
              {found.slice(0, maxShown).map((entry) => (
                <StoreItem key={entry.slug} entry={entry} state={offerStateOf(entry, installed)} />
              ))}
            </ul>
            {found.length === 0 && <p className="muted">No skills match your search.</p>}
            {found.length > maxShown && (
              <p className="muted">
                These are {maxShown} of {found.length}. Search to see more.
              </p>
            )}
          </div>
        )
      }}
    </QueryView>
  )
}

function holds({ slug, name, description }: RegistryEntry, text: string): boolean {
  const whole = `${slug} ${name} ${description}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => whole.includes(word))
}

const actions: Readonly<Record<OfferState, string>> = {
  new: 'Preview',
  other_version: 'Preview update',
  installed: 'Compare',
}

function StoreItem({ entry, state }: { readonly entry: RegistryEntry; readonly state: OfferState }) {
  const { slug, name, version, description } = entry
  return (
    <li className="card skill-item">
      <div className="row" data-justify="between">
        <h2 className="foreign">
          {name}
          {version !== undefined && <span className="muted small"> {version}</span>}
        </h2>
        {state !== 'new' && (
          <StatusBadge status={state} tone={state === 'installed' ? 'good' : 'info'}>
            {state === 'installed' ? 'Installed' : 'Another version'}
          </StatusBadge>
        )}
      </div>
      <p className="foreign skill-description">{description}</p>
      <div className="row" data-justify="end">
        <Dialog
          title={name}
          trigger={<Button aria-label={`${actions[state]}: ${name}`}>{actions[state]}</Button>}
        >
          {(close) => <StorePreview slug={slug} onDone={close} />}
        </Dialog>
      </div>
    </li>
  )
}

/** What a {@link StorePreview} takes. */
interface StorePreviewProps {
  readonly slug: string
  readonly onDone: () => void
}

/** A skill of the store, before anybody installs it (D20). */
function StorePreview({ slug, onDone }: StorePreviewProps) {
  const query = usePlatformQuery('previewStoreSkill', { query: { slug } })
  return (
    <QueryView query={query} loadingLabel="Loading the skill from the store …">
      {({ skill }) => <Preview skill={skill} onDone={onDone} onOutdated={() => void query.refetch()} />}
    </QueryView>
  )
}

interface PreviewProps {
  readonly skill: StoreSkillPreview
  readonly onDone: () => void
  /** The store has other content by now. */
  readonly onOutdated: () => void
}

function Preview({ skill, onDone, onOutdated }: PreviewProps) {
  const { slug, name, installed, hash } = skill
  const install = usePlatformMutation('installSkill', {
    invalidates: ['listSkills', 'getSkill', 'previewStoreSkill', 'getSkillConfigSchema', 'getSkillConfig'],
    onSuccess() {
      showToast({ title: installed ? `${name} updated` : `${name} installed` })
      onDone()
    },
    onError: onOutdated,
  })
  return (
    <SkillOffer
      skill={skill}
      isPending={install.isPending}
      error={install.error}
      onInstall={() => install.mutate({ body: { slug, hash } })}
      onClose={onDone}
    />
  )
}
