export function show(place) { place.textContent = '…'; }
