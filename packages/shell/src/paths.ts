/** Where paths lead: links and `..` followed as the kernel would, also for what does not exist yet. */
export { follow, isInside, type Location, locate, PathError } from "./files/location.js"
