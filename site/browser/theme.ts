/** Set before the first paint, so that a page never shows in the other colours for a moment. */
try {
  const chosen = localStorage.getItem("theme")
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen
} catch {
  // A page that is opened from the disk may have no storage: the system's colours hold.
}
