console.log("Sotto: the tour is not written yet.")
