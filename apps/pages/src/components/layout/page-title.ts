let title = ''
let waiting = 0

function show(): void {
  document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${title} · Homeward`
}

/** Names the page in the title of the tab. */
export function setPageTitle(next: string): void {
  title = next
  show()
}

/** Shows in the title of the tab how many decisions wait for a person. */
export function setTitleCount(count: number): void {
  if (count === waiting) return
  waiting = count
  show()
}
